import type { z } from 'zod';

import type { WriteMethod } from '../shared/http';

/** Query values; a list goes as repeated keys, undefined is left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Call<Data> {
	readonly method: 'GET' | WriteMethod;
	/** Below the base URL, beginning with /v2. */
	readonly path: string;
	readonly query?: Query;
	readonly body?: Readonly<Record<string, unknown>>;
	/** Schema of the `data` of a success. */
	readonly answer: z.ZodType<Data, z.ZodTypeDef, unknown>;
	/** Set for the two sign-in operations (docs/api.md, Authentication). */
	readonly withoutToken?: boolean;
	/** The documented role that the caller needs, for the hint on a 403. */
	readonly roleNeeded?: string;
}

export type ReadCall<Data> = Call<Data> & { readonly method: 'GET' };
export type WriteCall<Data> = Call<Data> & { readonly method: WriteMethod };

export type SendRead = <Data>(call: ReadCall<Data>) => Promise<Data>;

export function urlOf(baseUrl: string, callPath: string, query: Query): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const each of [value ?? []].flat()) search.append(name, String(each));
	}
	// Not every server reads a plus sign as a space, or splits a list at an encoded comma.
	const text = search.toString().replaceAll('+', '%20').replaceAll('%2C', ',');
	return `${baseUrl}${callPath}${text === '' ? '' : `?${text}`}`;
}
