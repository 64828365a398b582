import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { isDocumented, isRenamable } from '../../../nodes/PayrollPayments/contract/fields';
import { isRecord } from '../../../nodes/PayrollPayments/shared/json';
import { repository } from '../../../tooling/paths.mjs';

/** The transcription of the service's document. */
const description = z
	.object({ paths: z.unknown(), components: z.object({ schemas: z.record(z.unknown()) }) })
	.parse(parse(readFileSync(path.join(repository, 'sandbox', 'openapi.yaml'), 'utf8')));

/** Query parameters and members in a part of the document, none inside of typed data. */
function fieldsIn(part: unknown): string[] {
	if (Array.isArray(part)) return part.flatMap(fieldsIn);
	if (!isRecord(part)) return [];
	const { $ref, in: place, name, properties, ...others } = part;
	const [, schema = ''] = /^#\/components\/schemas\/(.*)$/.exec(String($ref)) ?? [];
	const members = Object.entries(isRecord(properties) ? properties : {});
	return [
		...fieldsIn(description.components.schemas[schema]),
		...(place === 'query' ? [String(name)] : []),
		/* The document doesn't show all names: a setting of the node holds such a one. */
		...members.flatMap(([each, member]) => (isRecord(member) && 'x-setting' in member ? [] : each)),
		...members.flatMap(([each, member]) => (each === 'typed_data' ? [] : fieldsIn(member))),
		...fieldsIn(Object.values(others)),
	];
}

const FIELDS = [...new Set(fieldsIn(description.paths))];

/** Of the envelope, and of what is signed. */
const FIXED = ['success', 'data', 'error_code', 'typed_data', 'domain', 'types', 'primary_type'];

it.each(FIELDS.filter((name) => !FIXED.includes(name)))('may have another name: %s', (name) => {
	expect([isRenamable(name), isDocumented(name)]).toEqual([true, true]);
});

it.each([
	...[...FIXED, 'team_nanoid', 'user_nanoid', 'webhook_nanoid', 'to', 'salt', 'expires', 'account'],
	...['chainId', 'verifyingContract', 'id', 'groupID', 'payAtTime', 'validMinutes', 'payType'],
	...['token', 'recipient', 'amount'],
])('has no other name, and is none: %s', (name) => {
	expect([isRenamable(name), isDocumented(name)]).toEqual([false, true]);
});

it('is no field of the document: event_type, which a setting names', () => {
	expect([isRenamable('event_type'), isDocumented('event_type')]).toEqual([false, false]);
});
