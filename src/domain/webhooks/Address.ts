import ipaddr from "ipaddr.js"
import { isHostName, isPrivateName } from "./HostName.ts"

/**
 * Address space that IANA assigns to hosts of the internet (RFC 4291, section 2.4). Addresses outside are special or
 * unused.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

/** Metadata and DNS service of Azure, reachable from every virtual machine there. No registry lists it as special. */
const AZURE_WIRE_SERVER = "168.63.129.16"

/**
 * ISATAP tunnels IPv4 under any prefix: the IPv4 address follows `0000:5efe` or `0200:5efe` (RFC 5214, section 6.1).
 */
const isIsatap = ({ parts }: ipaddr.IPv6) => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe

const isPublicIPv4 = (address: ipaddr.IPv4) => address.range() === "unicast" && address.toString() !== AZURE_WIRE_SERVER

const isPublicIPv6 = (address: ipaddr.IPv6) =>
  address.range() === "unicast" && address.match(GLOBAL_UNICAST) && !isIsatap(address)

/**
 * Tests whether `address`, IPv4 in dotted decimal or IPv6, is a public host: globally reachable unicast (IANA
 * special-purpose registries, RFC 6890). Any other text is not public. The ranges of ipaddr.js exclude private, shared,
 * local, reserved, documentation, benchmark and multicast addresses, and those that embed IPv4: 6to4, Teredo and,
 * outside {@link GLOBAL_UNICAST} anyway, mapped, compatible and translated addresses.
 */
export const isPublic = (address: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(address)
    ? isPublicIPv4(ipaddr.IPv4.parse(address))
    : ipaddr.IPv6.isValid(address) && isPublicIPv6(ipaddr.IPv6.parse(address))

/** Returns the IP address in the host of a URL, without brackets, or undefined for a name. */
export const addressOf = (hostname: string): string | undefined => {
  if (hostname.startsWith("[")) return hostname.slice(1, -1)
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : undefined
}

/**
 * Returns the reason why the host of a URL is not public, as a phrase that follows its subject, or undefined. For a
 * name this is only a first check: its addresses are checked at DNS lookup.
 */
export const notPublic = (host: string): string | undefined => {
  const address = addressOf(host)
  if (address !== undefined) return isPublic(address) ? undefined : `has the address ${address}`
  if (!isHostName(host)) return `has the host ${host}, which is not a valid host name`
  return isPrivateName(host) ? `has the host ${host}, a name of private networks` : undefined
}
