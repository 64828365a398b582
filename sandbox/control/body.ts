/** The JSON of a control request; none counts as an empty object. Throws SyntaxError. */
export function bodyOf(request: { readonly body: unknown }): unknown {
	const { body } = request;
	if (typeof body !== 'string' || body === '') return {};
	const parsed: unknown = JSON.parse(body);
	return parsed;
}
