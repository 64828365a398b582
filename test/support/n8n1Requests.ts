import * as requests from 'n8n-core/dist/execution-engine/node-execution-context/utils/request-helpers/authentication';
import {
	NodeApiError,
	type IAllExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type IWorkflowExecuteAdditionalData,
	type IAdditionalCredentialOptions,
	type Workflow,
} from 'n8n-workflow';

/** The class field `cause` of 1.x takes away what its constructor has set (execution-base.error.ts). */
function withoutCause(node: INode, error: unknown): NodeApiError {
	const wrapped = new NodeApiError(node, Object(error));
	Object.defineProperty(wrapped, 'cause', { value: undefined });
	return wrapped;
}

/** As in n8n-core 1.122.48 (request-helper-functions.ts), for credentials without OAuth. */
async function httpRequestWithAuthentication(
	this: IAllExecuteFunctions,
	type: string,
	options: IHttpRequestOptions,
	workflow: Workflow,
	node: INode,
	{ credentialsHelper }: IWorkflowExecuteAdditionalData,
	more?: IAdditionalCredentialOptions,
): Promise<unknown> {
	const data = more?.credentialsDecrypted?.data ?? {};
	let request = options;
	const send = async (isExpired: boolean): Promise<unknown> => {
		const { helpers } = this;
		Object.assign(
			data,
			await credentialsHelper.preAuthentication({ helpers }, data, type, node, isExpired),
		);
		request = await credentialsHelper.authenticate(data, type, request, workflow, node);
		return await helpers.httpRequest({
			...request,
			ignoreHttpStatusErrors: Boolean(request.ignoreHttpStatusErrors),
		});
	};
	return await send(false)
		.catch(async (error: unknown) => {
			if (Object(error).response?.status !== 401) throw error;
			return await send(true);
		})
		.catch((error: unknown) => {
			throw withoutCause(node, error);
		});
}

/**
 * Lets the nodes of this file send their requests as n8n 1.123.81 does, until Jest restores its
 * mocks: no exceptions from `ignoreHttpStatusErrors`, and no cause in what is thrown.
 */
export function sendAsN8n1(): void {
	jest
		.spyOn(requests, 'httpRequestWithAuthentication')
		.mockImplementation(httpRequestWithAuthentication);
}
