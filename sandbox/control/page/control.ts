/** Calls a control endpoint. Throws an Error with the sandbox's reason if it refuses. */
export async function call<Answer>(
	method: 'GET' | 'POST',
	path: string,
	body?: object,
): Promise<Answer> {
	const response = await fetch(`/sandbox/${path}`, {
		method,
		...(body && { body: JSON.stringify(body) }),
	});
	const answer = await response.json();
	if (response.ok) return answer;
	throw new Error(reasonOf(String(answer.error)));
}

/** Zod's messages are a list of problems in JSON. */
function reasonOf(message: string): string {
	try {
		const problems: { path: string[]; message: string }[] = JSON.parse(message);
		return problems.map((each) => `${each.path.join('.')}: ${each.message}`).join('; ');
	} catch {
		return message;
	}
}
