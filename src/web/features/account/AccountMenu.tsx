import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { signOut } from "../../shared/data/service.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import css from "./Account.module.css"
import { accountTexts } from "./accountTexts.ts"

interface AccountProps {
  readonly name: string
  readonly signIn: "/dashboard/sign-in" | "/developers/sign-in"
}

/** Name of the account, and the sign-out button. */
export const AccountMenu = ({ name, signIn }: AccountProps) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signOutAndLeave = async () => {
    await signOut()
    queryClient.clear()
    await navigate({ to: signIn })
  }
  return (
    <>
      <span className={css["name"]}>{name}</span>
      <Button kind="quiet" onClick={() => void signOutAndLeave()}>
        {accountTexts.signOut}
      </Button>
    </>
  )
}
