/** Where a mutant is, and what it changes. */
export interface Place {
	/** Below nodes/PayrollPayments. */
	readonly file: string;
	/** The line in which the replaced text begins, without its indentation. */
	readonly line: string;
	readonly from: string;
	readonly to: string;
}

/** A mutant that no test can or should notice. `npm run test:mutation` fails once one does. */
export interface Survivor extends Place {
	readonly why: string;
}

type Change = readonly [from: string, to: string];

const TEXT: Change = ["''", '"Stryker was here!"'];
const LIST: Change = ['[]', '["Stryker was here"]'];

type Explained = Readonly<
	Record<string, readonly Change[] | { changes: readonly Change[]; why: string }>
>;

const savesTime = (...changes: Change[]) => ({ changes, why: 'It only saves time.' });

/** By file and line. Changes without a reason can’t be noticed, because the other case can’t be. */
const EXPLAINED: Readonly<Record<string, Explained>> = {
	'idempotency/paymentJournal.ts': {
		'for (const { payment } of attempts) this.stored.set(payment, () => false);': {
			changes: [['() => false', '() => undefined']],
			why: 'Only true counts as stored.',
		},
		'const compared = this.tries.size > 0 ? payments : [];': savesTime(
			['this.tries.size > 0', 'true'],
			['this.tries.size > 0', 'this.tries.size >= 0'],
		),
	},
	'operations/payment/authorization.ts': {
		"if (parts === undefined) return { signs: null, sign: async () => signature ?? '' };": {
			changes: [TEXT],
			why: 'Without its parts, there is a signature, or nothing is sent.',
		},
		"sender !== undefined && ![signer, platformId ?? ''].some((own) => isSameAddress(own, sender));":
			{ changes: [TEXT], why: 'Neither text is an address.' },
	},
	'operations/payment/check.ts': {
		'return knownOfRow === undefined ? [] : withKnown(row, knownOfRow, ifAlreadyPaid);': [LIST],
		'writes: earlier?.writes ?? [],': {
			changes: [['earlier?.writes', 'earlier.writes'], LIST],
			why: 'An earlier try that paid is remembered with its row, and what is known of it replaces this.',
		},
		"state: { is: 'refused', error },": {
			changes: [
				["{ is: 'refused', error }", '{}'],
				["'refused'", '""'],
			],
			why: 'What is known of an earlier try that paid replaces this.',
		},
		'isCompared: false,': {
			changes: [['false', 'true']],
			why: 'Only the check of a run reads it, and no try of that pays.',
		},
		"const payment = paymentOf(form, run, signer ?? '');": {
			changes: [TEXT, ["signer ?? ''", "signer && ''"]],
			why: 'What was found isn’t looked for again, and its texts don’t name the signer.',
		},
		'const signer = input.signer ?? (await run.wallet().catch(() => undefined))?.address;': {
			changes: [
				[
					'(await run.wallet().catch(() => undefined))?.address',
					'(await run.wallet().catch(() => undefined)).address',
				],
			],
			why: 'If the wallet can’t be opened, this check fails, and run/earlierTry.ts then tells the same.',
		},
		"return slotsOf(form)[0] ?? '';": [TEXT],
	},
	'operations/payment/paymentRow.ts': {
		"return known.is === 'sendable' && known.attempt > 1;": [["known.is === 'sendable'", 'true']],
	},
	'operations/payment/checkReport.ts': {
		"const code = row.known.is === 'unknown' ? row.known.code : undefined;": [
			["row.known.is === 'unknown'", 'true'],
		],
		'const isSheet = withoutReference.some(({ place }) => place?.row !== undefined);': {
			changes: [
				[
					'withoutReference.some(({ place }) => place?.row !== undefined)',
					'withoutReference.every(({\n  place\n}) => place?.row !== undefined)',
				],
			],
			why: 'All rows of a run are of a sheet, or none is.',
		},
	},
	'operations/payment/runCheck.ts': {
		'({ columns }) => String(columns.recipient_address).toLowerCase(),': {
			changes: [
				[
					'String(columns.recipient_address).toLowerCase()',
					'String(columns.recipient_address).toUpperCase()',
				],
			],
			why: 'It only has to put the letters of hex addresses in the same case, and either case does.',
		},
	},
	'operations/payment/sheet.ts': {
		'const isList = [...rows.keys()].some(({ place }) => place?.index !== undefined);': [
			['place?.index', 'place.index'],
		],
		'if (inputs.some((each) => each.teamId !== teamId || each.network !== network)) return;': {
			changes: [['each.network !== network', 'false']],
			why: 'There is one network.',
		},
		'return columnsOfRefused(row === undefined ? form.input : filledIn(form, row).form.input);': {
			changes: [['row === undefined', 'false']],
			why: 'What is thrown without a row leads to the same columns.',
		},
	},
	'operations/payment/outcome.ts': {
		'return code === undefined ? [] : `${paymentName(row)} (${what} ${code})`;': [
			['code === undefined', 'false'],
			LIST,
		],
		"const what = isPayment(row) ? `${row.payment.summary}, code` : 'code';": [["'code'", '""']],
	},
	'operations/payment/report.ts': {
		".replace(/[<>[\\]`*~|]/g, (mark) => IN_CHAT[mark] ?? '')": [TEXT],
		"const parts = word.match(new RegExp(`.{1,${LONGEST_PART}}`, 'gsu')) ?? [];": [LIST],
		"function paragraph([first = '', ...others]: readonly string[]): string {": [TEXT],
	},
	'run/approve.ts': {
		"return isLeftAlone ? [...own, 'left alone'] : own;": {
			changes: [["'left alone'", '""']],
			why: 'Any further entry tells it from a row that is sent.',
		},
		"const approvals = asChecked.map((each) => normalizeApproval(each.get(row) ?? ''));": [TEXT],
		"return row.state.is === 'refused' && row.writes.length === 0": {
			changes: [["row.state.is === 'refused'", 'true']],
			why: 'Of the rows of one list, only refused ones show no request.',
		},
		"const PLACEHOLDER: ShownWrite = { summary: '', request: null, signs: null, isLeftAlone: true };":
			{
				changes: [TEXT],
				why: 'An approval doesn’t cover what people read of a request.',
			},
		'if (declining.size === 0) return rows;': savesTime(['declining.size === 0', 'false']),
		'items.flatMap(({ json }, item) => (declined.safeParse(json).success ? [item] : [])),':
			savesTime(LIST),
		'return named !== undefined && approvals.includes(named);': {
			changes: [['named !== undefined', 'true']],
			why: 'No approval is undefined; only the compiler doesn’t know.',
		},
	},
	'run/earlierTry.ts': {
		'const done = failedRows(rows).length === 0 ? [] : doneIn(rows, columnsOfEarlierTry);': {
			changes: [LIST, ['failedRows(rows).length === 0', 'false']],
			why: 'Without a failure there is no further try.',
		},
		"const [unread] = rowsThatAre([...replaced], 'refused').filter(isUnread);": {
			changes: [
				[
					"rowsThatAre([...replaced], 'refused').filter(isUnread)",
					"rowsThatAre([...replaced], 'refused')",
				],
			],
			why: 'Where the run is refused as a whole, so are the others, for the same reason.',
		},
		'return slotsOf(row).every((slot) => slots.has(slot));': {
			changes: [
				[
					'slotsOf(row).every((slot) => slots.has(slot))',
					'slotsOf(row).some(slot => slots.has(slot))',
				],
			],
			why: 'A request for several items was made for all of them, or for none.',
		},
		'return before.length === 0 ? rows : mergeTries(rows, before);': savesTime([
			'before.length === 0',
			'false',
		]),
		'if (before.length === 0) return rows;': savesTime(['before.length === 0', 'false']),
	},
	'run/run.ts': {
		'const isStopped = context.getExecutionCancelSignal()?.aborted === true;': [
			['context.getExecutionCancelSignal()?.aborted', 'context.getExecutionCancelSignal().aborted'],
		],
		'if (first === undefined) return { rows: [] };': {
			changes: [['{ rows: [] }', '{}'], LIST, ['first === undefined', 'false']],
			why: 'n8n runs no node without items.',
		},
		"const hasTries = node.retryOnFail === true && operation.effect === 'write' && isKept;": {
			changes: [['node.retryOnFail === true', 'true']],
			why: 'It only keeps runs out of memory that aren’t tried again.',
		},
		'if (hasTries) rememberTries(scopeOf(context), operation, rows);': {
			changes: [['hasTries', 'true']],
			why: 'The same.',
		},
		'if (isOver(all)) return { rows: all, isCheck };': {
			changes: [['isOver(all)', 'false']],
			why: 'Each step stops there, too; this one also saves opening the service.',
		},
		'await operation.finish?.(sent, run).catch((error: unknown) => {': {
			changes: [['{\n\t\tcontext.logger.warn(redactor.text(messageOf(error)));\n\t}', '{}']],
			why: 'What is logged isn’t judged.',
		},
	},
	'signing/guards/administratorRoles.ts': {
		'if (new Set(grants.map(({ account }) => account.toLowerCase())).size !== grants.length) {': {
			changes: [['account.toLowerCase()', 'account.toUpperCase()']],
			why: 'It only has to put the letters of hex addresses in the same case, and either case does.',
		},
		'const HASH = /^0x[0-9a-fA-F]{64}$/;': {
			changes: [
				['/^0x[0-9a-fA-F]{64}$/', '/0x[0-9a-fA-F]{64}$/'],
				['/^0x[0-9a-fA-F]{64}$/', '/^0x[0-9a-fA-F]{64}/'],
			],
			why: 'A hash with other text around it is the hash of no role, and no role either.',
		},
	},
	'signing/guards/eip4361.ts': {
		'/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$/;':
			{
				changes: [
					[
						'/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$/',
						'/^(\\d{4}-\\d{2}-\\d{2})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)/',
					],
				],
				why: 'Date.parse refuses what stands behind a time.',
			},
	},
	'signing/guards/signInMessage.ts': {
		"const { scheme = '', authority = '' } = readUri(uri) ?? {};": {
			changes: [TEXT, TEXT],
			why: 'The URI was read before, and one without a host has the host of no domain either way.',
		},
		'return port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host;': {
			changes: [['port !== undefined', 'true']],
			why: 'For a scheme without a default port, no host ends with the word undefined.',
		},
	},
	'signing/guards/unexpectedIdentifiers.ts': {
		"const rest = reading.replace(ownEmail, ' ').replace(ownTeam, OWN_TEAM);": {
			changes: [["' '", '""']],
			why: 'What stands around the address can’t be a part of a name, so nothing grows together.',
		},
		"const characterOf = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');": {
			changes: [['code <= 0x10ffff', 'code < 0x10ffff']],
			why: 'The last code point isn’t ASCII, so it is left out of what is searched either way.',
		},
	},
	'signing/signature.ts': {
		"const [, r = '', s = '', v = ''] = parts;": [TEXT, TEXT, TEXT],
	},
	'signing/typedData.ts': {
		"if (type === 'address') return value.length === 42 && isAddress(value);": {
			changes: [['value.length === 42', 'true']],
			why: 'viem judges the length, too. It is only kept from remembering long texts.',
		},
		"const [path = ''] = types.error.issues.map((issue) => issue.path.join('.'));": [TEXT],
		'visit(primaryType, []);': {
			changes: [LIST],
			why: 'No type can have this name.',
		},
	},
	'signing/wallet.ts': {
		'} catch {': {
			changes: [['{\n\t\treturn undefined;\n\t}', '{}']],
			why: 'A function that ends without a return gives undefined, too.',
		},
	},
};

export const SURVIVORS: readonly Survivor[] = Object.entries(EXPLAINED).flatMap(([file, lines]) =>
	Object.entries(lines).flatMap(([line, explained]) => {
		const { changes, why } =
			'why' in explained
				? explained
				: { changes: explained, why: 'The other case can’t be; only the compiler doesn’t know.' };
		return changes.map(([from, to]) => ({ file, line, from, to, why }));
	}),
);
