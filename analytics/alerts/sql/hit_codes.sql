-- The failures of one signal in some scopes by their code: of which of them does another incident tell already?
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
hits AS ({hits})
SELECT scope, COALESCE(code, '') AS code, COUNT(*) AS calls, COUNT(DISTINCT session) AS sessions
FROM hits
GROUP BY scope, COALESCE(code, '')
ORDER BY scope, calls DESC, code
