import type { INodeProperties } from 'n8n-workflow';

import { z } from 'zod';
import { asciiLowerCase, email } from '../../shared/email';
import { titleOf, type Field } from '../fields/field';
import { json } from '../fields/kinds';

/** The fields of a prefill, in the service's order (docs/api.md, Invite prefill). */
const PREFILL_FIELDS = [
	'first_name',
	'middle_name',
	'last_name',
	'phone',
	'company_name',
	'job_title',
	'company_size',
	'company_website',
	'company_industry',
	'company_address',
	'company_city',
	'company_state',
	'company_zip',
	'company_country',
] as const;

/** What a row or the form can hold of one person. */
export const INVITEE_FIELDS = ['email', ...PREFILL_FIELDS] as const;

export type InviteeField = (typeof INVITEE_FIELDS)[number];

/** One person to invite, in the service's format. */
export interface Invitee {
	readonly email: string;
	readonly prefill?: Readonly<Record<string, string>>;
}

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A spreadsheet cell. Spreadsheets turn digits into numbers. */
const cell = z
	.union([z.string(), z.number(), z.boolean(), z.null(), z.undefined()], {
		errorMap: () => ({ message: 'must be text' }),
	})
	.transform((value) => (value === null || value === undefined ? '' : String(value)));

/** The invitee whose fields have the given values, or the first field that isn't valid. */
export function readInvitee(
	valueOf: (field: InviteeField) => unknown,
): { readonly invitee: Invitee } | { readonly field: InviteeField; readonly fault: string } {
	const address = email.safeParse(valueOf('email'));
	if (!address.success) {
		return { field: 'email', fault: address.error.issues[0]?.message ?? "isn't valid" };
	}
	const prefill: Record<string, string> = {};
	for (const field of PREFILL_FIELDS) {
		const value = cell.safeParse(valueOf(field));
		if (!value.success) return { field, fault: 'must be text' };
		prefill[field] = value.data;
	}
	const isBegun = Object.values(prefill).some((value) => value.trim() !== '');
	return { invitee: isBegun ? { email: address.data, prefill } : { email: address.data } };
}

/** One entry of the form: flat, with names in camelCase or snake_case. */
const formEntry = z.record(z.unknown()).transform((values, context): Invitee => {
	const result = readInvitee((field) => values[field] ?? values[camelCase(field)]);
	if ('invitee' in result) return result.invitee;
	context.addIssue({ code: 'custom', message: result.fault, path: [result.field] });
	return z.NEVER;
});

/** The service's own format. Missing prefill fields become empty text. */
const documentedInvitee = z
	.object({
		email,
		prefill: z
			.object(Object.fromEntries(PREFILL_FIELDS.map((name) => [name, cell])))
			.strict()
			.optional(),
	})
	.strict();

/** How addresses are compared: the service doesn't document whether it heeds their case. */
export function comparable(address: string): string {
	return asciiLowerCase(address);
}

/** Refuses a repeated address, since it isn't clear which prefill to use. */
function withoutRepeats<Schema extends z.ZodType<Invitee[], z.ZodTypeDef, unknown>>(list: Schema) {
	/* A pipe ends at an entry that isn't valid; a refinement alone would still be run on it. */
	const valid = z.custom<Invitee[]>().superRefine((invitees, context) => {
		const seen = new Map<string, number>();
		invitees.forEach((invitee, index) => {
			const address = comparable(invitee.email);
			const first = seen.get(address);
			seen.set(address, first ?? index);
			if (first === undefined) return;
			context.addIssue({
				code: 'custom',
				path: [index, 'email'],
				message: `repeats the address of entry ${first + 1}`,
			});
		});
	});
	return list.pipe(valid);
}

/** n8n's linter wants them in alphabetical order. Only Email is shown until others are added. */
function inviteeProperties(): INodeProperties[] {
	const prefill = PREFILL_FIELDS.map(
		(name): INodeProperties => ({
			displayName: titleOf(name),
			name: camelCase(name),
			type: 'string',
			default: '',
		}),
	);
	const address: INodeProperties = {
		displayName: 'Email',
		name: 'email',
		type: 'string',
		required: true,
		placeholder: 'e.g. ana@example.com',
		default: '',
	};
	return [address, ...prefill].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

/** Invitees in n8n's form. */
export function inviteesOnForm(): Field<Invitee[]> {
	return {
		form: {
			displayName: 'Invitees',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				hideOptionalFields: true,
				addOptionalFieldButtonText: 'Add prefill field',
			},
			placeholder: 'Add invitee',
			default: { invitee: [{ email: '' }] },
			description: 'People to invite; the optional fields prefill their sign-up form',
			options: [
				{
					displayName: 'Invitee',
					name: 'invitee',
					values: inviteeProperties(),
				},
			],
		},
		schema: z
			.unknown()
			.transform((value) => {
				const collection = z.object({ invitee: z.unknown() }).safeParse(value);
				return collection.data?.invitee ?? [];
			})
			.pipe(withoutRepeats(z.array(formEntry).min(1, 'is empty. Add at least one invitee'))),
		required: true,
	};
}

/** Invitees as JSON in the service's format. */
export function inviteesAsJson(): Field<Invitee[]> {
	return json(
		{
			label: 'Invitees (JSON)',
			description: 'List of invitees, each with an email and an optional prefill',
		},
		withoutRepeats(
			z
				.array(documentedInvitee, { invalid_type_error: 'must be a JSON list' })
				.min(1, 'is empty. Add at least one invitee'),
		),
		'[{ "email": "ana@example.com" }]',
	);
}
