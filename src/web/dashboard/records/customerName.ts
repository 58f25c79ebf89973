import type { Customer } from "../../../domain/records/Customer.ts"

/** What a customer is called: by whatever is known of them. */
export const customerName = ({ company, email, name, phone }: Customer): string =>
  [name, company, email, phone].find((one) => one !== null && one.trim() !== "") ?? "Unnamed customer"
