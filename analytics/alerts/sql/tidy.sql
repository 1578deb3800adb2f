-- Old notices, delivered or not, that nobody asks for any more.
DELETE FROM notice
WHERE created_ns < $before_ns
