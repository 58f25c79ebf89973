import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Member, Role } from "../../../domain/access/Merchants.ts"
import type { MerchantId } from "../../../rpc/Client.ts"
import { day } from "../../data/format.ts"
import { useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { Menu } from "../../ui/form/Menu.tsx"
import { Card, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState, ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/display/Table.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useRefreshAccount, useMember, useStoreId } from "../store.ts"
import { AddMemberForm } from "./AddMemberForm.tsx"
import { otherRole, roleLabels } from "./roleLabels.ts"
import css from "./Settings.module.css"

interface RoleChange {
  readonly member: Member
  readonly role: Role
}

const columnsOf = (
  own: MerchantId,
  changeRole: (member: Member, role: Role) => void,
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
  { name: "Role", cell: ({ role }) => roleLabels[role].name },
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
          { name: `Make ${otherRole(member.role)}`, choose: () => changeRole(member, otherRole(member.role)) },
          { name: "Remove member", choose: () => remove(member) }
        ]}
      />
    )
  }
]

const MembersForOwner = () => {
  const storeId = useStoreId()
  const { merchantId: own } = useMember()
  const refreshAccount = useRefreshAccount()
  const navigate = useNavigate()
  const [removedMember, setRemovedMember] = useState<Member>()
  const query = useRpcQuery([storeId, "members"], (client) => client.members.list({ storeId }))
  const changeRole = useRpcMutation({
    write: (client, { member: { email }, role }: RoleChange, idempotencyKey) =>
      client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { member: { merchantId, name }, role }) => {
      toast(`${name} is now ${role === "owner" ? "an owner" : "staff"}`)
      if (merchantId === own) refreshAccount()
    }
  })
  const remove = useRpcMutation({
    write: (client, { merchantId }: Member, idempotencyKey) =>
      client.members.leave({ storeId, idempotencyKey, merchantId }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { merchantId, name }) => {
      setRemovedMember(undefined)
      toast(`${name} is no longer a member`)
      if (merchantId !== own) return
      refreshAccount()
      void navigate({ to: "/dashboard" })
    }
  })
  const close = () => {
    setRemovedMember(undefined)
    remove.reset()
  }
  return (
    <Stack>
      <Card title="Members">
        {changeRole.error === null ? undefined : <ErrorNotice error={changeRole.error} />}
        <QueryBoundary query={query}>
          {(members) => (
            <Table
              caption="Members"
              rows={members}
              keyOf={({ merchantId }) => merchantId}
              columns={columnsOf(own, (member, role) => changeRole.mutate({ member, role }), setRemovedMember)}
            />
          )}
        </QueryBoundary>
      </Card>
      <AddMemberForm />
      <Confirm
        title={removedMember?.merchantId === own ? "Leave this store?" : `Remove ${removedMember?.name ?? ""}?`}
        action={removedMember?.merchantId === own ? "Leave store" : "Remove member"}
        isOpen={removedMember !== undefined}
        close={close}
        confirm={() => removedMember !== undefined && remove.mutate(removedMember)}
        isBusy={remove.isPending}
        error={remove.error}
      >
        <p>
          {removedMember?.merchantId === own
            ? "You will lose access to this store. An owner can add you again."
            : "They will lose access to this store. Their changes are kept, and you can add them again."}
        </p>
      </Confirm>
    </Stack>
  )
}

/** Members of the store. Only owners can manage them. */
export const Members = () =>
  useMember().isOwner ? (
    <MembersForOwner />
  ) : (
    <Card>
      <EmptyState title="Owners only">
        <p>Only store owners can manage members. Ask an owner to do this, or to make you an owner.</p>
      </EmptyState>
    </Card>
  )
