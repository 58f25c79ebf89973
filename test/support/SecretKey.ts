/** Key that encrypts secrets in all test processes. */
export const SECRET_KEY = Buffer.alloc(32, "key").toString("base64")
