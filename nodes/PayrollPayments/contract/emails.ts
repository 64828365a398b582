import { z } from 'zod';

/** An e-mail address (docs/api.md, Common formats). White space around it is dropped. */
export const email = z
	.string({ invalid_type_error: 'must be text', required_error: 'is missing' })
	.transform((value) => value.trim())
	.pipe(z.string().min(1, 'is missing').email('must be a valid e-mail address'));
