import { without } from '../../../../n8nHost/sampleEvents';
import { allowedTexts, examplesOf, forbiddenTexts, isRecord } from '../examples';
import { openapi, OPERATIONS, type Schema } from '../openapi';
import type { World } from '../world';

/** A part of a request as it has to be, and with one member less or more. */
function variantsOf(part: Schema) {
	const { sparse } = examplesOf(part);
	const needed = isRecord(sparse) ? sparse : {};
	const wrong = [
		...Object.keys(needed).map((name) => without(needed, name)),
		{ ...needed, unknown_field: '1' },
	];
	return { needed, wrong };
}

const filled = (template: string, values: Readonly<Record<string, unknown>>): string =>
	template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

/** The sandbox judges as openapi.yaml says. It leaves that to Ajv, so one fault of each kind will do. */
export function sandboxSuite(world: World): void {
	it.each(OPERATIONS)('takes what $id allows, and nothing else', async (operation) => {
		const { method, path, needsToken } = operation;
		const { needed: ids } = variantsOf(operation.pathParameters);
		const query = variantsOf(operation.query);
		const body = operation.body && variantsOf(operation.body);
		const headers = {
			authorization: `Bearer ${await world.token()}`,
			'content-type': 'application/json',
		};
		const url = (template: string, given: object) =>
			`${world.url}${template}?${new URLSearchParams({ ...given }).toString()}`;
		const right = { url: url(filled(path, ids), query.needed), body: body?.needed };
		const wrong = [
			...query.wrong.map((given) => ({ ...right, url: url(filled(path, ids), given) })),
			...(path.includes('{') ? [{ ...right, url: url(filled(path, {}), query.needed) }] : []),
			...[undefined, ...(body?.wrong ?? [])].flatMap((given) =>
				body === undefined ? [] : [{ ...right, body: given }],
			),
		];
		for (const asked of [right, ...wrong]) {
			world.service.wireLog.clear();
			const sent = { method, headers, body: JSON.stringify(asked.body) };
			const { status } = await fetch(asked.url, sent);
			const isRefused = status === 400 || status === 404;
			expect([asked, world.wire()[0]?.valid]).toEqual([asked, asked === right]);
			if (asked !== right) expect([asked, isRefused]).toEqual([asked, true]);
		}
		const anonymous = await fetch(right.url, { method });
		expect(anonymous.status === 401).toBe(needsToken);
	});

	it.each(OPERATIONS)('checks answers to $id', ({ id, answer }) => {
		const check = world.service.description.answerCheck(id, 200);
		const [data] = examplesOf(answer).allowed;
		expect(check({ success: true, data })).toBe(true);
		for (const change of [{ success: false }, { data: 'other' }, { error_code: 'x' }])
			expect([change, check({ success: true, data, ...change })]).toEqual([change, false]);
	});

	it('takes each format’s examples, and none of the others', () => {
		const { description } = world.service;
		for (const name of Object.keys(openapi.components.schemas)) {
			const allows = (text: string) => description.allows(name, text);
			if (allowedTexts(name).length === 0) continue;
			expect([name, allowedTexts(name).filter((text) => !allows(text))]).toEqual([name, []]);
			expect([name, forbiddenTexts(name).filter(allows)]).toEqual([name, []]);
		}
	});
}
