/** The JSON body of a control request, or an empty object without one. Throws SyntaxError. */
export function bodyOf(request: { readonly body: unknown }): unknown {
	const { body } = request;
	if (typeof body !== 'string' || body === '') return {};
	const parsed: unknown = JSON.parse(body);
	return parsed;
}

/** The fields and files of a form, as workflows send files; JSON otherwise. Throws SyntaxError. */
export async function formOf(request: {
	readonly body: unknown;
	readonly headers: { readonly 'content-type'?: string };
}): Promise<unknown> {
	const { body, headers } = request;
	const { 'content-type': contentType = '' } = headers;
	if (typeof body !== 'string' || !/^multipart\/form-data\b/i.test(contentType)) {
		return bodyOf(request);
	}
	const form = new Response(body, { headers: { 'content-type': contentType } }).formData();
	return Object.fromEntries(await form);
}
