/** The JSON body of a control request, or an empty object without one. Throws SyntaxError. */
export function bodyOf(request: { readonly body: unknown }): unknown {
	const { body } = request;
	if (typeof body !== 'string' || body === '') return {};
	const parsed: unknown = JSON.parse(body);
	return parsed;
}
