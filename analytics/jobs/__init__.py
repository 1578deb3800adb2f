"""The work behind the answers: judge what arrived, roll it up, keep it fresh."""
