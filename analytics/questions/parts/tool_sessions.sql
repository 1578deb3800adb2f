-- {tool_sessions}
SELECT * FROM tool_session WHERE {where}
