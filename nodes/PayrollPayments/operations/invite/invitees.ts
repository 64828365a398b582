import { z } from 'zod';

import { titleOf, type Field } from '../../forms/field';
import { json, text } from '../../forms/fieldTypes';
import { email } from '../../contract/formats';
import { faultInCell } from '../../shared/cellFaults';
import { faultOfOther, refuseFault } from '../../shared/text';

/** The fields of a prefill, in the service's order (docs/api.md, Invite prefill). */
// prettier-ignore
const PREFILL_FIELDS = [
	'first_name', 'middle_name', 'last_name', 'phone', 'company_name', 'job_title', 'company_size',
	'company_website', 'company_industry', 'company_address', 'company_city', 'company_state',
	'company_zip', 'company_country',
] as const;

/** What a row or the form can hold of one person. */
export const INVITEE_FIELDS = ['email', ...PREFILL_FIELDS] as const;

export type InviteeField = (typeof INVITEE_FIELDS)[number];

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A spreadsheet cell. Spreadsheets turn digits into numbers. */
const cell = z.unknown().transform((value, context) => {
	/* What nobody filled in: an unticked box, a formula without input, an empty field of some programs. */
	const given = value === false ? '' : (value ?? '');
	if (!['string', 'number'].includes(typeof given)) {
		context.addIssue({ code: 'custom', message: faultOfOther(given) });
	}
	const text = String(given).trim();
	if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
		context.addIssue({ code: 'custom', message: 'has lost some of its digits; enter it as text' });
	}
	refuseFault(faultInCell)(text, context);
	return text;
});

/** A person in the service's own form. A partly filled prefill gets empty strings for the rest. */
export const invitee = z
	.object({
		email,
		prefill: z
			.object(Object.fromEntries(PREFILL_FIELDS.map((name) => [name, cell])), {
				invalid_type_error: 'must be an object',
			})
			.strict()
			.nullish()
			.transform((prefill) => prefill ?? {}),
	})
	.strict()
	.transform(({ prefill, ...person }) => {
		const isBegun = Object.values(prefill).some((value) => value !== '');
		return isBegun ? { ...person, prefill } : person;
	});

export type Invitee = z.infer<typeof invitee>;

/** The values of one person in the service's own form. */
export function inviteeFrom(valueOf: (field: InviteeField) => unknown) {
	const prefill = PREFILL_FIELDS.map((field) => [field, valueOf(field)] as const);
	const isThere = prefill.some(([, value]) => value !== undefined);
	return { email: valueOf('email'), prefill: isThere ? Object.fromEntries(prefill) : undefined };
}

/** One entry of the form, with names in camelCase or snake_case. */
const formEntry = z
	.record(z.unknown())
	.transform((values) => inviteeFrom((field) => values[field] ?? values[camelCase(field)]))
	.pipe(invitee);

function inviteeList(entry: z.ZodType<Invitee, z.ZodTypeDef, unknown>) {
	return z
		.array(entry, { invalid_type_error: 'must be a JSON list', required_error: 'is missing' })
		.min(1, 'is empty. Add at least one invitee');
}

/** Invitees in n8n's form. Only Email is shown until others are added. */
export const inviteesOnForm: Field<Invitee[]> = {
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
				/* n8n's linter wants them in alphabetical order. */
				values: INVITEE_FIELDS.map((field) => ({
					...text({ label: titleOf(field) }, cell).form,
					name: camelCase(field),
					...(field === 'email' ? { placeholder: 'e.g. ana@example.com', required: true } : {}),
				})).sort((a, b) => a.displayName.localeCompare(b.displayName, 'en')),
			},
		],
	},
	schema: z
		.object(
			{ invitee: inviteeList(formEntry).default([]) },
			{ message: 'must be a list of invitees' },
		)
		.transform((value) => value.invitee),
};

/** Invitees as JSON in the service's format. */
export const inviteesAsJson = json(
	{
		label: 'Invitees (JSON)',
		description:
			'List of invitees, each with an email and an optional prefill, e.g. [{ "email": "ana@example.com" }]',
		preset: '[]',
	},
	inviteeList(invitee),
);
