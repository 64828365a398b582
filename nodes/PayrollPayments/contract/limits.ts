// docs/api.md, Endpoints.

/** The amount of an instant payment, in cents. */
export const PAYMENT_CENTS = { least: 100, most: 10_000_000_000 } as const;

/** How many email addresses an administrator invite, or the filter of team users, may contain. */
export const EMAILS_PER_REQUEST = 100;

/** Largest page of team users. */
export const LARGEST_PAGE = 500;

/** Major versions of a webhook's payload. */
export const PAYLOAD_VERSIONS = { least: 1, most: 10, preset: 2 } as const;
