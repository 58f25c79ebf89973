import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Member, Role } from "../../../domain/access/Merchants.ts"
import type { MerchantId } from "../../../rpc/Client.ts"
import { day } from "../../data/Format.ts"
import { useAsked, useWrite } from "../../data/Queries.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { Menu } from "../../ui/Menu.tsx"
import { Card, Stack } from "../../ui/Page.tsx"
import { Answered, Empty, Trouble } from "../../ui/States.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useAccountAgain, useMember, useStoreId } from "../Store.ts"
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
  const accountAgain = useAccountAgain()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<Member>()
  const asked = useAsked([storeId, "members"], (client) => client.members.list({ storeId }))
  const appoint = useWrite({
    write: (client, { member: { email }, role }: Appointed, idempotencyKey) =>
      client.members.join({ storeId, idempotencyKey, email, role }),
    touches: [[storeId, "members"]],
    done: (_, { member: { merchantId, name }, role }) => {
      toast(`${name} is now ${role === "owner" ? "an owner" : "staff"}`)
      if (merchantId === own) accountAgain()
    }
  })
  const leave = useWrite({
    write: (client, { merchantId }: Member, idempotencyKey) =>
      client.members.leave({ storeId, idempotencyKey, merchantId }),
    touches: [[storeId, "members"]],
    done: (_, { merchantId, name }) => {
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
        {appoint.error === null ? undefined : <Trouble error={appoint.error} />}
        <Answered asked={asked}>
          {(members) => (
            <Table
              caption="Members"
              rows={members}
              keyOf={({ merchantId }) => merchantId}
              columns={columnsOf(own, (member, role) => appoint.mutate({ member, role }), setLeaving)}
            />
          )}
        </Answered>
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
      <Empty title="Owners only">
        <p>Only store owners can manage members. Ask an owner to do this, or to make you an owner.</p>
      </Empty>
    </Card>
  )
