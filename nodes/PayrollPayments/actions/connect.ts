import type { IExecuteFunctions } from 'n8n-workflow';

import { z } from 'zod';
import { addSecretsOf } from '../api/credentialSecrets';
import { readCredentials, type ServiceCredentials } from '../api/credentials';
import { exchangeOver } from '../api/n8nHttp';
import { CREDENTIALS, exchangeWithToken, pause } from '../api/tokenExchange';
import { openWallet } from '../api/wallet';
import { ExecutionCache, type RunScope } from '../idempotency/executionCache';
import { PaymentLedger, type PaymentRecord } from '../idempotency/paymentLedger';
import { Refusal } from '../shared/errors';
import type { HttpExchange } from '../shared/http';
import type { Redact, Redactor } from '../shared/redaction';
import type { Wallet } from '../signing';
import type { CallOutcome, Connection } from './service';

const payments = new ExecutionCache<PaymentRecord>();
const outcomes = new ExecutionCache<CallOutcome>();

/**
 * Connects one run of the action node to the service. Credentials are read once for all items.
 * @param redactor learns the secrets in the credentials
 * @throws {Refusal} if a field of the credentials is wrong
 */
export async function connect(context: IExecuteFunctions, redactor: Redactor): Promise<Connection> {
	const saved = await context.getCredentials(CREDENTIALS);
	addSecretsOf(redactor, saved);
	const credentials = readCredentials(saved, context.getNode().credentials?.[CREDENTIALS]?.name);
	const withoutToken = exchangeWithoutToken(context);
	const redact = redactor.text;
	return {
		credentials,
		transport: {
			withToken: exchangeWithToken(context, saved, redactor),
			withoutToken,
			pause,
			redact,
			withApiKey: credentials.authentication === 'legacyApiKey',
		},
		wallet: walletOpener(credentials, withoutToken, redact),
		payments: onFirstUse(() => paymentLedger(context)),
		outcomes: onFirstUse(() => outcomes.of(scopeOf(context))),
	};
}

function exchangeWithoutToken(context: IExecuteFunctions): HttpExchange {
	return exchangeOver(
		async (options): Promise<unknown> =>
			await context.helpers.httpRequest({
				...options,
				abortSignal: context.getExecutionCancelSignal(),
			}),
	);
}

function walletOpener(
	credentials: ServiceCredentials,
	exchange: HttpExchange,
	redact: Redact,
): () => Promise<Wallet> {
	if (credentials.authentication === 'walletSignIn') {
		return onFirstUse(async () => await openWallet(credentials, exchange, redact));
	}
	return async () => {
		throw new Refusal("These credentials don't have a wallet to sign with", {
			field: 'authentication',
			hint: 'Use credentials whose Authentication is Wallet Sign-In, or provide the signature.',
		});
	};
}

function paymentLedger(context: IExecuteFunctions): PaymentLedger {
	const scope = scopeOf(context);
	const nodeKey = `${scope.workflowId}:${scope.nodeId}`;
	return new PaymentLedger(context.helpers, nodeKey, payments.of(scope));
}

const proxyData = z.object({ $runIndex: z.number().int() });

/** This run of the node. In a loop, each run counts separately. */
function scopeOf(context: IExecuteFunctions): RunScope {
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		executionId: context.getExecutionId(),
		runIndex: proxyData.parse(context.getWorkflowDataProxy(0)).$runIndex,
	};
}

/** Opens a value when it is first needed, and keeps it. */
function onFirstUse<Value>(open: () => Value): () => Value {
	let opened: { readonly value: Value } | undefined;
	return () => (opened ??= { value: open() }).value;
}
