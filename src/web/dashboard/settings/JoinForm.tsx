import { Result, Schema } from "effect"
import { type FormEvent, useState } from "react"
import { Role } from "../../../domain/access/Merchants.ts"
import { Email } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Columns, SelectField, TextField } from "../../ui/Field.tsx"
import { Card, Row, Stack } from "../../ui/Page.tsx"
import { ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"
import { ROLE_WORDS } from "./Roles.ts"

const emailOf = Schema.decodeResult(Email)

/** Makes who has an account a member of the store. */
export const JoinForm = () => {
  const storeId = useStoreId()
  const [typed, setTyped] = useState("")
  const [role, setRole] = useState<Role>("staff")
  const [problem, setProblem] = useState<string>()
  const joining = useRpcMutation({
    write: (client, email: Email, idempotencyKey) => client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, email) => {
      setTyped("")
      toast(`${email} added`)
    }
  })
  const join = (event: FormEvent) => {
    event.preventDefault()
    const email = emailOf(typed)
    setProblem(Result.isFailure(email) ? "Enter an e-mail address, such as ada@example.com" : undefined)
    if (Result.isSuccess(email) && !joining.isPending) joining.mutate(email.success)
  }
  return (
    <Card title="Add a member">
      <form onSubmit={join} noValidate>
        <Stack>
          {joining.error === null ? undefined : <ErrorNotice error={joining.error} />}
          <Columns>
            <TextField
              label="E-mail address"
              type="email"
              autoComplete="off"
              hint="The person must already have an account."
              problem={problem}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
            <SelectField
              label="Role"
              hint={ROLE_WORDS[role].text}
              value={role}
              onChange={({ target }) => setRole(Role.literals.find((one) => one === target.value) ?? "staff")}
            >
              {Role.literals.toReversed().map((one) => (
                <option key={one} value={one}>
                  {ROLE_WORDS[one].name}
                </option>
              ))}
            </SelectField>
          </Columns>
          <Row>
            <Button type="submit" isBusy={joining.isPending}>
              Add member
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}
