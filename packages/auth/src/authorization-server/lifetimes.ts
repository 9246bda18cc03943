/** In seconds, all of them. */
export const ACCESS_TOKEN_SECONDS = 3600;
export const AUTHORIZATION_CODE_SECONDS = 60;
/** From when it was issued; each use brings a new one. */
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600;
/** After this a person is asked again, however often the client refreshed. */
export const GRANT_SECONDS = 365 * 24 * 3600;
/** How long a person may take to sign in, and again to consent. */
export const INTERACTION_SECONDS = 900;
/** It joins the steps of one sign-in and signs nobody in anywhere else. */
export const SESSION_SECONDS = 1800;
