/** Calls a control endpoint of the sandbox at a URL, e.g. `(url, 'GET', 'accounts')`. */
export async function callControl<Answer>(
	sandboxUrl: string,
	method: string,
	route: string,
	body?: unknown,
): Promise<Answer> {
	const response = await fetch(`${sandboxUrl}/sandbox/${route}`, {
		method,
		...(body !== undefined && {
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const text = await response.text();
	if (response.ok) return JSON.parse(text);
	throw new Error(`The sandbox answered ${method} ${route} with ${response.status}: ${text}`);
}
