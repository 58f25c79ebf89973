import { Context, Schema, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { Amount, Bool, field, nullable, optional, tags, text, Timestamp } from "../catalog/Fields.ts"
import { SearchText, sortField } from "../Query.ts"
import { Uuid } from "../Uuid.ts"
import { Address } from "./Address.ts"
import type { RecordContext, RecordService } from "./Records.ts"

export const CustomerId = Uuid.pipe(Schema.brand("CustomerId"), Schema.annotate({ identifier: "CustomerId" }))
export type CustomerId = typeof CustomerId.Type

/** Maximum number of addresses of a customer. */
const MAX_ADDRESSES = 100

const Addresses = boundedArray(Address, MAX_ADDRESSES)

const customerFields = {
  name: nullable(text(255), "Name of the customer", "Ada Example"),
  company: nullable(text(255), "Company of the customer", "Example Books"),
  tags: tags("Labels, without duplicates that differ only in case", ["regular"]),
  acceptsMarketing: field(Bool, "If true, the customer accepts marketing messages", false)
}

/** Fields that are visible only with the capability `customer_pii` (docs/spec/orders-and-customers.md). */
const personalFields = {
  email: nullable(text(255), "E-mail address of the customer", "ada@example.com"),
  phone: nullable(text(255), "Phone number", "+351 000 000 000"),
  addresses: Schema.NullOr(Addresses).annotate({ description: "Addresses of the customer" })
}
export const PERSONAL_OF_CUSTOMER = Struct.keys(personalFields)

/** Customer of a store. Responses always contain all fields (docs/spec/orders-and-customers.md). */
export const Customer = Schema.Struct({
  id: CustomerId,
  ...customerFields,
  ordersCount: field(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "Number of the customer's orders in the store that are not cancelled",
    3
  ),
  totalSpent: field(Amount, "Sum of the totals of these orders, regardless of currency", 2431.2),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ...personalFields
}).annotate({ identifier: "Customer" })
export type Customer = typeof Customer.Type

/** Imported customer. Absent fields keep their values. */
export const PutCustomer = Schema.Struct({ ...customerFields, ...personalFields }).mapFields(
  Struct.map(Schema.optionalKey)
)
export type PutCustomer = typeof PutCustomer.Type

/** Values of fields that a new customer does not give, and that a customer of an earlier release does not have. */
export const CUSTOMER_DEFAULTS = {
  name: null,
  email: null,
  phone: null,
  company: null,
  tags: [],
  acceptsMarketing: false,
  ordersCount: 0,
  totalSpent: 0,
  addresses: null
} as const satisfies Partial<Customer>

/** Builds the customer to store: given fields, else those of the stored customer, else defaults. */
export const customerOf = (input: PutCustomer, { at, before, id }: RecordContext<CustomerId, Customer>): Customer => {
  const merged = { ...CUSTOMER_DEFAULTS, ...before, ...input }
  return {
    // Members that a later release stored.
    ...before,
    id,
    name: merged.name,
    email: merged.email,
    phone: merged.phone,
    company: merged.company,
    tags: merged.tags,
    acceptsMarketing: merged.acceptsMarketing,
    ordersCount: merged.ordersCount,
    totalSpent: merged.totalSpent,
    addresses: merged.addresses ?? [],
    createdAt: before?.createdAt ?? at.toISOString(),
    updatedAt: at.toISOString()
  }
}

/** Filter and sort order of customers (docs/spec/queries.md). No sort order reveals personal data. */
export const CustomerQuery = Schema.Struct({
  search: optional(
    field(
      SearchText,
      "Part of the name or company. Callers who see personal data also find e-mail addresses, phone numbers and names in addresses; for others, they are not searched, and fewer customers match. Ignores case and accents",
      "ada"
    )
  ),
  sort: sortField(["name", "ordersCount", "totalSpent", "createdAt", "updatedAt"], "-createdAt")
})
export type CustomerQuery = typeof CustomerQuery.Type

export class CustomerNotFound extends Schema.TaggedError<CustomerNotFound>()("CustomerNotFound", { id: CustomerId }) {
  override get message() {
    return `Customer ${this.id} was not found`
  }
}

/** The customer of an order does not exist. */
export class UnknownCustomer extends Schema.TaggedError<UnknownCustomer>()("UnknownCustomer", { id: CustomerId }) {
  override get message() {
    return `Customer ${this.id} was not found; import the customers before their orders`
  }
}

/** Customers of stores. */
export class Customers extends Context.Service<
  Customers,
  RecordService<CustomerId, PutCustomer, never, CustomerNotFound, CustomerQuery>
>()("domain/Customers") {}
