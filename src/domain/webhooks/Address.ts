import ipaddr from "ipaddr.js"
import { isHostName, isPrivateName } from "./HostName.ts"

/** All that IANA gives out for the internet's hosts (RFC 4291, section 2.4). What lies outside is special or unused. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

/** Azure's metadata and DNS, on every virtual machine there. No registry lists it: it looks like any public address. */
const AZURE_WIRE_SERVER = "168.63.129.16"

/** Tunnels IPv4 under any prefix: the IPv4 address stands behind `0000:5efe` or `0200:5efe` (RFC 5214, section 6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6) => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe

const isPublicIPv4 = (address: ipaddr.IPv4) => address.range() === "unicast" && address.toString() !== AZURE_WIRE_SERVER

const isPublicIPv6 = (address: ipaddr.IPv6) =>
  address.range() === "unicast" && address.match(GLOBAL_UNICAST) && !isIsatap(address)

/**
 * Whether `address`, IPv4 as four decimal numbers or IPv6, is one host of the open internet: globally reachable unicast
 * (IANA's special-purpose registries, RFC 6890). No text that is anything else is public. The ranges of ipaddr.js leave
 * out what is private, shared, local, reserved, for documentation or benchmarks, multicast, and what carries IPv4
 * inside: 6to4, Teredo, and, outside of {@link GLOBAL_UNICAST} anyway, mapped, compatible and translated addresses.
 */
export const isPublic = (address: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(address)
    ? isPublicIPv4(ipaddr.IPv4.parse(address))
    : ipaddr.IPv6.isValid(address) && isPublicIPv6(ipaddr.IPv6.parse(address))

/** The IP address that the host of a URL is, as `URL` writes it: without brackets. Undefined for a name. */
export const addressOf = (hostname: string): string | undefined => {
  if (hostname.startsWith("[")) return hostname.slice(1, -1)
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : undefined
}

/**
 * Why the host of a URL is none of the open internet, in words that follow what has it. Of a name this is an early word
 * only: the addresses that it stands for are judged where they are looked up.
 */
export const notPublic = (host: string): string | undefined => {
  const address = addressOf(host)
  if (address !== undefined) return isPublic(address) ? undefined : `has the address ${address}`
  if (!isHostName(host)) return `has the host ${host}, which is no host name`
  return isPrivateName(host) ? `has the host ${host}, a name of private networks` : undefined
}
