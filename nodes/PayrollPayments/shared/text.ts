import { z } from 'zod';

// Text as a form gives it. Surrounding white space, as in a copied cell, is removed.

export const anyText = z.string({
	invalid_type_error: 'must be text',
	required_error: 'is missing',
});
export const trimmed = anyText.trim();
export const filledLine = trimmed.min(1, 'is missing');
