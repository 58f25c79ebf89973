import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { signOut } from "../data/Session.ts"
import { Button } from "../ui/Button.tsx"
import css from "./Account.module.css"

interface AccountProps {
  readonly name: string
  readonly signIn: "/dashboard/sign-in" | "/developers/sign-in"
}

/** Who is signed in, and the way out. */
export const Account = ({ name, signIn }: AccountProps) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = async () => {
    await signOut()
    queries.clear()
    await navigate({ to: signIn })
  }
  return (
    <>
      <span className={css["name"]}>{name}</span>
      <Button kind="quiet" onClick={() => void leave()}>
        Sign out
      </Button>
    </>
  )
}
