/** Maximum length of the URLs of webhooks and of fetched pictures in characters, as given and as stored. */
export const MAX_URL_LENGTH = 2048

/**
 * Parses a URL by the URL Standard. `URL.canParse` is not used: in Node 20, after about 4,000 calls (when V8 has
 * compiled the caller), it reads letters such as "é" as invalid bytes and rejects URLs that it accepted before.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Tests whether a host, with or without a port, is always the client's own machine. */
export const isLoopbackHost = (host: string): boolean =>
  LOOPBACK_HOST.test(host) && parseUrl(`http://${host}`) !== undefined

/**
 * Parses a public URL: https, or http on a loopback host, without a path. Undefined for any other text.
 */
export const parsePublicOrigin = (text: string): string | undefined => {
  const url = parseUrl(text)
  if (url === undefined) return undefined
  const { host, href, origin, protocol } = url
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackHost(host))
  return isSafe && href === `${origin}/` ? origin : undefined
}
