/** With which secrets are sealed in tests, whatever process seals them. */
export const SECRET_KEY = Buffer.alloc(32, "key").toString("base64")
