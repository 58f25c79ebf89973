import type { Schema } from "effect"
import { isObject } from "../json/Json.ts"
import type { Address as AddressSchema } from "./Address.ts"

type Address = Schema.Schema.Type<typeof AddressSchema>

/** Members of an address. Several are joined with spaces, such as a first and a last name. */
type Members = readonly [string, ...ReadonlyArray<string>]

/** Members by which stores, shops and carriers call one part of an address, the first one first. */
type Synonyms = ReadonlyArray<Members>

/** Members that hold the name of the recipient. */
export const NAME_SYNONYMS = [
  ["name"],
  ["first_name", "last_name"],
  ["firstName", "lastName"],
  ["firstname", "lastname"],
  ["full_name"],
  ["fullName"],
  ["recipient"]
] as const satisfies Synonyms

/** Members that hold a phone number. */
export const PHONE_SYNONYMS = [
  ["phone"],
  ["phone_number"],
  ["phoneNumber"],
  ["telephone"],
  ["mobile"]
] as const satisfies Synonyms

const COMPANY: Synonyms = [["company"], ["company_name"], ["companyName"], ["organization"]]

const FIRST_LINE: Synonyms = [
  ["line1"],
  ["address1"],
  ["address_1"],
  ["address_line1"],
  ["address_line_1"],
  ["addressLine1"],
  ["street1"],
  ["street", "house_number", "houseNumber"],
  ["streetAddress"],
  ["address"]
]

const SECOND_LINE: Synonyms = [
  ["line2"],
  ["address2"],
  ["address_2"],
  ["address_line2"],
  ["address_line_2"],
  ["addressLine2"],
  ["street2"]
]

const POSTAL_CODE: Synonyms = [
  ["postalCode"],
  ["postal_code"],
  ["postalcode"],
  ["zip"],
  ["zipCode"],
  ["zip_code"],
  ["postcode"],
  ["postCode"]
]

const CITY: Synonyms = [["city"], ["town"], ["locality"]]

const REGION: Synonyms = [
  ["region"],
  ["province"],
  ["state"],
  ["county"],
  ["province_code"],
  ["provinceCode"],
  ["region_code"],
  ["regionCode"],
  ["state_code"],
  ["stateCode"]
]

const COUNTRY: Synonyms = [
  ["country"],
  ["country_name"],
  ["countryName"],
  ["country_code"],
  ["countryCode"],
  ["country_id"],
  ["countryId"]
]

/** Parts of the lines of an address, from the first line to the last. */
const LINES: ReadonlyArray<ReadonlyArray<Synonyms>> = [
  [NAME_SYNONYMS],
  [COMPANY],
  [FIRST_LINE],
  [SECOND_LINE],
  [POSTAL_CODE, CITY],
  [REGION],
  [COUNTRY],
  [PHONE_SYNONYMS]
]

/** Text of any JSON value in one line. Empty for no value. */
const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(", ")
  return (isObject(value) ? JSON.stringify(value) : String(value)).replaceAll(/\s+/g, " ").trim()
}

const joined = (parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join(" ")

/** Reads parts of an address and remembers which of its members were read. */
const makeReader = (address: Address) => {
  const read = new Set<string>()
  const textOfMembers = (members: Members) => joined(members.map((member) => textOf(address[member])))
  return {
    read,
    /** Returns the first text of the part. Synonyms with the same text count as read, too. */
    partOf: (synonyms: Synonyms): string => {
      const text = synonyms.map(textOfMembers).find((one) => one !== "") ?? ""
      for (const members of synonyms) {
        if (textOfMembers(members) === text) for (const member of members) read.add(member)
      }
      return text
    }
  }
}

/** Recipient of an address, or undefined if it names none. */
export const recipientOf = (address: Address | null): string | undefined =>
  address === null ? undefined : makeReader(address).partOf(NAME_SYNONYMS) || undefined

/**
 * Lines of a postal address: the known parts in their order, and all other members with their names. Members without a
 * value are left out.
 */
export const addressLines = (address: Address): ReadonlyArray<string> => {
  const { partOf, read } = makeReader(address)
  const lines = LINES.map((parts) => joined(parts.map(partOf)))
  const others = Object.entries(address).map(([member, value]) => {
    const text = read.has(member) ? "" : textOf(value)
    return text === "" ? "" : `${member}: ${text}`
  })
  return [...lines, ...others].filter((line) => line !== "")
}
