import type { Customer } from "../../../domain/records/Customer.ts"
import { recordTexts } from "./recordTexts.ts"

/** First contact detail of a customer that is not empty. */
export const customerName = ({ company, email, name, phone }: Customer): string =>
  [name, company, email, phone].find((one) => one !== null && one.trim() !== "") ?? recordTexts.unnamedCustomer
