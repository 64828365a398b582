import { administratorInvitesExecutedAnswer } from '../../api/schemas/answers';
import { setRolesRequest } from '../../signing/payloads';
import { labelOf, refusalOf } from '../../forms/field';
import { textList } from '../../forms/fieldTypes';
import {
	expectedRole,
	jsonObject,
	requireSignature,
	roleOptions,
	signatureFields,
} from '../../forms/serviceFields';
import { UserError } from '../../shared/errors';
import { ENDPOINTS } from '../../contract/endpoints';
import { identifier } from '../../contract/identifiers';
import { canonicalJson, isRecord } from '../../shared/json';
import { asWord } from '../../shared/redaction';
import { ROLE_NAMES, roleLabel, type AdministratorRole } from '../../contract/roles';
import type { AdministratorInviteExpectation } from '../../signing';
import { listed, quantity } from '../../shared/lists';
import { defineWrite, eachItem } from '../../run/operation';
import { signatureOver, stepOf } from '../../run/write';
import type { RunContext } from '../../run/runContext';

const fields = {
	inviteIds: textList(
		{
			label: 'Invite IDs',
			description: 'From Create, separated by commas',
			example: 'in-a1B2c3D4e5F6',
			preset: '={{ $json.invites }}',
		},
		identifier('in'),
	),
	typedData: jsonObject({
		label: 'Typed Data',
		description: 'From Create, or its whole output item',
		preset: '={{ $json.typed_data }}',
	}),
	role: expectedRole,
	...signatureFields,
};

type Json = Readonly<Record<string, unknown>>;

/** The invites to execute, who signs, and what typed data must match before it is used. */
interface Execution
	extends Pick<AdministratorInviteExpectation, 'accounts' | 'role' | 'expectedRoleCode'> {
	readonly invites: readonly string[];
	/** The `typed_data` that Endpoint 6 returns. */
	readonly typedData: Json;
	readonly signer: string;
	/** Set if the signature is provided. If not, the wallet signs. */
	readonly signature?: string;
}

/**
 * Typed data as *Create* returns it, its whole output item, or only the inner `typed_data`.
 * @throws {UserError} if Endpoint 7 wouldn't take it
 */
function readTypedData(given: Json) {
	const { typed_data: inner } = given;
	const structure = isRecord(inner) && isRecord(inner.typed_data) ? inner : given;
	const request = setRolesRequest.safeParse(structure.typed_data ?? structure);
	if (!request.success) {
		const next = 'Use the typed data of Create as it is. If it is, contact the service’s support.';
		throw refusalOf(labelOf(fields.typedData), request.error, next);
	}
	const missing = ['domain', 'types', 'primary_type'].filter(
		(name) => structure[name] === undefined,
	);
	return {
		structure,
		/** What is sent to Endpoint 7. */
		request: request.data,
		/** Which of the properties that say how it is signed. */
		missing,
		isInnerAlone: missing.length === 3,
	};
}

/**
 * Checks typed data before it, or a signature of it, is used. A provided signature is checked as
 * strictly as the wallet's own, if the structure says what it covers. With the inner typed_data alone,
 * only the accounts and the role can be checked (SECURITY.md, What is never signed).
 * @throws {UserError} if the typed data isn't what was expected, or the signature isn't the signer's;
 * then nothing is signed
 */
async function guardExecution(run: RunContext, execution: Execution) {
	const { signer, signature, role } = execution;
	const { structure, request, isInnerAlone } = readTypedData(execution.typedData);
	const { administratorInviteTypedData, checkAccounts, checkRoles } = await import('../../signing');
	if (signature !== undefined && isInnerAlone) {
		checkAccounts(request.data, execution.accounts);
		if (role !== undefined) checkRoles(request.data, execution);
		/* It isn't known what the signature covers. */
		return { request, signs: null, sign: async () => signature };
	}
	const { platformId } = run.credentials;
	const typedData = administratorInviteTypedData(structure, { ...execution, platformId });
	return { request, ...(await signatureOver(typedData, run.wallet, { signer, signature })) };
}

/** The execution of an item's invites with a signature (docs/api.md, Endpoint 7). */
export async function checkedExecution(
	run: RunContext,
	numbers: readonly number[],
	execution: Execution,
) {
	const { invites, signer, role: expected } = execution;
	const { request, signs, sign } = await guardExecution(run, execution);
	const { roleIn } = await import('../../signing');
	const grants = request.data.map(({ role, account }) => {
		const known = roleIn(role);
		/* Only a person knows what it stands for. */
		const meant = expected && ` (${ROLE_NAMES[expected]}, if Expected Role Code is right)`;
		const name = known === undefined ? `code ${asWord(role)}${meant ?? ''}` : ROLE_NAMES[known];
		return `${name}${known === undefined || known === role ? '' : ` (${role})`} to ${account}`;
	});
	return run.write(numbers, {
		...ENDPOINTS.executeAdministratorInvites,
		isOncePerExecution: true,
		summary: `Execute ${quantity(invites.length, 'invite')} (${listed(invites)})`,
		signsSummary: `Gives ${grants.join(', ')}, signed by ${signer}`,
		body: { invites, typed_data: signs?.message ?? request, signer },
		signs,
		sign: async () => ({ signature: await sign() }),
		answer: administratorInvitesExecutedAnswer,
	});
}

/** Whether the whole output item of *Create* was given and lists other invites. */
function listsOtherInvites({ invites }: Json, inviteIds: readonly string[]): boolean {
	if (!Array.isArray(invites)) return false;
	const named = new Set(invites);
	return named.size !== inviteIds.length || !inviteIds.every((id) => named.has(id));
}

function refuse(message: string, next: string): never {
	throw new UserError(message, { hint: next });
}

/** What the code of a run stands for: one role, in all of its items. */
export function meaningOfCode({
	input: { role = 'any' },
	options: { expectedRoleCode: code },
}: {
	readonly input: { readonly role?: AdministratorRole | 'any' };
	readonly options: Pick<AdministratorInviteExpectation, 'expectedRoleCode'>;
}) {
	const meaning = role === 'any' ? 'any role' : roleLabel(role);
	return code === undefined ? [] : [[`the role of code ${code}`, meaning] as const];
}

/** docs/api.md, Endpoint 7. */
export const executeAdministratorInvites = defineWrite({
	resource: 'administratorInvite',
	operation: 'complete',
	name: 'Execute',
	action: 'Execute administrator invites',
	description: 'Set the roles of invited administrators with a signature of the typed data',
	permission: 'manageAdministrators',
	notice:
		'This sets the administrator roles of the invited people. Have a person review the invites first.',
	fields,
	options: roleOptions,
	output: administratorInvitesExecutedAnswer,
	checkForm: ({ inviteIds, typedData, signatureSource, signature, role }, isCheckOnly) => {
		requireSignature({ signatureSource, signature }, isCheckOnly);
		const isProvided = signatureSource === 'provided';
		if (!isProvided && (role === undefined || role === 'any')) {
			const fault = role === 'any' ? 'can be Any only with a provided signature' : 'is missing';
			const next = 'Select the role that the wallet may give to the invited people.';
			refuse(`${labelOf(fields.role)} ${fault}`, next);
		}
		const { missing, isInnerAlone } = readTypedData(typedData);
		if (listsOtherInvites(typedData, inviteIds)) {
			refuse(
				`${labelOf(fields.inviteIds)} doesn’t match the invites that ${labelOf(fields.typedData)} was created for`,
				'Use invites and typed data from the same output item of Create.',
			);
		}
		if (missing.length === 0 || (signature !== undefined && isInnerAlone)) return;
		refuse(
			`${labelOf(fields.typedData)} has no ${missing.join(', ')}`,
			'Use the whole typed_data from Create, not only its inner object.',
		);
	},
	check: eachItem(
		async ({ numbers, input: { inviteIds: invites, ...input }, options }, run) => {
			const role = input.role === 'any' ? undefined : input.role;
			const signer = input.signer ?? (await run.wallet()).address;
			const execution = { ...input, ...options, invites, accounts: invites.length, role, signer };
			return [stepOf(await checkedExecution(run, numbers, execution))];
		},
		({ inviteIds, typedData }) => [
			...inviteIds.map((id) => [id, `${labelOf(fields.inviteIds)}: ${id}`] as const),
			[canonicalJson(readTypedData(typedData).request), labelOf(fields.typedData)],
		],
		(form) => meaningOfCode(form),
	),
});
