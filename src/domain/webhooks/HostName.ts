/** Label of letters, digits, hyphens and underscores, which DNS allows and some hosts use. */
const LABEL = /^[a-z0-9_-]{1,63}$/

/**
 * Tests whether `name` is a valid DNS name. It must be in lower case without a trailing dot (RFC 1035, section 2.3.4).
 */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split(".").every((label) => LABEL.test(label))

/**
 * Top-level names of private networks and of DNS itself: RFC 6761 (localhost), RFC 6762 with appendix G, RFC 8375
 * (home.arpa), RFC 3172 (arpa), and common names of routers.
 */
const PRIVATE = new Set([
  "localhost",
  "localdomain",
  "local",
  "intranet",
  "internal",
  "private",
  "corp",
  "home",
  "lan",
  "arpa"
])

/** Tests whether `name` is unknown to public DNS: without a dot, or below a name in {@link PRIVATE}. */
export const isPrivateName = (name: string): boolean =>
  !name.includes(".") || PRIVATE.has(name.slice(name.lastIndexOf(".") + 1))
