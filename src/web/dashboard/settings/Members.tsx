import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Member, Role } from "../../../domain/access/Merchants.ts"
import type { MerchantId } from "../../../rpc/Client.ts"
import { day } from "../../data/Format.ts"
import { useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { Menu } from "../../ui/Menu.tsx"
import { Card, Stack } from "../../ui/Page.tsx"
import { QueryBoundary, EmptyState, ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useRefreshAccount, useMember, useStoreId } from "../Store.ts"
import { JoinForm } from "./JoinForm.tsx"
import { otherRole, ROLE_WORDS } from "./Roles.ts"
import css from "./Settings.module.css"

/** Another role for a member. */
interface Appointed {
  readonly member: Member
  readonly role: Role
}

const columnsOf = (
  own: MerchantId,
  appoint: (member: Member, role: Role) => void,
  remove: (member: Member) => void
): ReadonlyArray<Column<Member>> => [
  {
    name: "Name",
    cell: ({ merchantId, name }) => (
      <span className={css["name"]}>
        {name}
        {merchantId === own ? <Badge>You</Badge> : undefined}
      </span>
    )
  },
  { name: "E-mail address", cell: ({ email }) => email },
  { name: "Role", cell: ({ role }) => ROLE_WORDS[role].name },
  { name: "Member since", cell: ({ createdAt }) => <span className={css["when"]}>{day(createdAt)}</span> },
  {
    name: "Actions",
    isNameHidden: true,
    cell: (member) => (
      <Menu
        label="Edit"
        name={`Edit ${member.email}`}
        kind="quiet"
        items={[
          { name: `Make ${otherRole(member.role)}`, choose: () => appoint(member, otherRole(member.role)) },
          { name: "Remove member", choose: () => remove(member) }
        ]}
      />
    )
  }
]

const OwnersMembers = () => {
  const storeId = useStoreId()
  const { merchantId: own } = useMember()
  const accountAgain = useRefreshAccount()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<Member>()
  const query = useRpcQuery([storeId, "members"], (client) => client.members.list({ storeId }))
  const appoint = useRpcMutation({
    write: (client, { member: { email }, role }: Appointed, idempotencyKey) =>
      client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { member: { merchantId, name }, role }) => {
      toast(`${name} is now ${role === "owner" ? "an owner" : "staff"}`)
      if (merchantId === own) accountAgain()
    }
  })
  const leave = useRpcMutation({
    write: (client, { merchantId }: Member, idempotencyKey) =>
      client.members.leave({ storeId, idempotencyKey, merchantId }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { merchantId, name }) => {
      setLeaving(undefined)
      toast(`${name} is no longer a member`)
      if (merchantId !== own) return
      accountAgain()
      void navigate({ to: "/dashboard" })
    }
  })
  const close = () => {
    setLeaving(undefined)
    leave.reset()
  }
  return (
    <Stack>
      <Card title="Members">
        {appoint.error === null ? undefined : <ErrorNotice error={appoint.error} />}
        <QueryBoundary query={query}>
          {(members) => (
            <Table
              caption="Members"
              rows={members}
              keyOf={({ merchantId }) => merchantId}
              columns={columnsOf(own, (member, role) => appoint.mutate({ member, role }), setLeaving)}
            />
          )}
        </QueryBoundary>
      </Card>
      <JoinForm />
      <Confirm
        title={leaving?.merchantId === own ? "Leave this store?" : `Remove ${leaving?.name ?? ""}?`}
        action={leaving?.merchantId === own ? "Leave store" : "Remove member"}
        isOpen={leaving !== undefined}
        close={close}
        confirm={() => leaving !== undefined && leave.mutate(leaving)}
        isBusy={leave.isPending}
        error={leave.error}
      >
        <p>
          {leaving?.merchantId === own
            ? "You will lose access to this store. An owner can add you again."
            : "They will lose access to this store. Their changes are kept, and you can add them again."}
        </p>
      </Confirm>
    </Stack>
  )
}

/** Who may work in the store, for its owners. */
export const Members = () =>
  useMember().isOwner ? (
    <OwnersMembers />
  ) : (
    <Card>
      <EmptyState title="Owners only">
        <p>Only store owners can manage members. Ask an owner to do this, or to make you an owner.</p>
      </EmptyState>
    </Card>
  )
