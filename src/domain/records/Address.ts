import { Schema } from "effect"
import { field, openStruct, optional, text } from "../catalog/Fields.ts"

const line = (description: string, example: string) => optional(field(Schema.NullOr(text(255)), description, example))

/** Postal address. Additional members are kept as sent. */
export const Address = openStruct({
  name: line("Recipient", "Ada Example"),
  company: line("Company", "Example Books"),
  line1: line("Street and number", "1 Example Street"),
  line2: line("Second address line", "Second floor"),
  city: line("City", "Porto"),
  region: line("Region, state or province", "Norte"),
  postalCode: line("Postal code", "4000-001"),
  country: line("Country, in the merchant's words", "Portugal"),
  phone: line("Phone number", "+351 000 000 000")
}).annotate({ identifier: "Address", description: "A postal address" })
