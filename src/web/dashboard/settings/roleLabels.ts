import type { Role } from "../../../domain/access/Merchants.ts"

/** Name and description of each role. */
export const roleLabels: Readonly<Record<Role, { readonly name: string; readonly text: string }>> = {
  owner: { name: "Owner", text: "Full access." },
  staff: { name: "Staff", text: "Full access except members and billing." }
}

export const otherRole = (role: Role): Role => (role === "owner" ? "staff" : "owner")
