import type { Role } from "../../../domain/access/Merchants.ts"

/** What a member is called, and what they may do. */
export const roleLabels: Readonly<Record<Role, { readonly name: string; readonly text: string }>> = {
  owner: { name: "Owner", text: "Full access." },
  staff: { name: "Staff", text: "Full access except members and billing." }
}

/** The role that a member does not have. */
export const otherRole = (role: Role): Role => (role === "owner" ? "staff" : "owner")
