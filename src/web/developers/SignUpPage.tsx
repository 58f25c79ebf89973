import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useRouter, useSearch } from "@tanstack/react-router"
import { type FormEvent, useEffect, useRef, useState } from "react"
import css from "../account/SignInForm.module.css"
import { problemsOf } from "../data/Refused.ts"
import { signUp } from "../data/Session.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"

const NOBODY = { name: "", email: "", password: "" }

/** Where somebody becomes a developer. What is refused is told at its field. */
export const SignUpPage = () => {
  const search = useSearch({ from: "/developers/sign-up" })
  const { back = "/developers" } = search
  const router = useRouter()
  const queries = useQueryClient()
  const [account, setAccount] = useState(NOBODY)
  const form = useRef<HTMLFormElement>(null)
  const entering = useMutation({
    mutationFn: signUp,
    onSuccess: () => {
      // What was kept belongs to who was signed in before.
      queries.clear()
      router.history.push(back)
    }
  })
  const problems = problemsOf(entering.error)
  useEffect(() => {
    document.title = "Sign up as a developer"
  }, [])
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [entering.error])
  const enter = (event: FormEvent) => {
    event.preventDefault()
    entering.mutate(account)
  }
  const field = (name: keyof typeof NOBODY) => ({
    value: account[name],
    problem: problems[name],
    onChange: ({ target }: { readonly target: HTMLInputElement }) => setAccount({ ...account, [name]: target.value })
  })
  return (
    <main className={css["page"]}>
      <form ref={form} className={css["card"]} onSubmit={enter} noValidate>
        <h1>Sign up as a developer</h1>
        {entering.error === null || Object.keys(problems).length > 0 ? undefined : (
          <p className={css["refused"]} role="alert">
            {entering.error.message}
          </p>
        )}
        <TextField label="Name" autoComplete="name" {...field("name")} />
        <TextField label="E-mail address" type="email" autoComplete="username" {...field("email")} />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. A phrase that you can remember works well."
          {...field("password")}
        />
        <Button kind="strong" type="submit" isBusy={entering.isPending}>
          Sign up
        </Button>
        <p>
          Already have an account?{" "}
          <Link to="/developers/sign-in" search={search}>
            Sign in
          </Link>
        </p>
      </form>
    </main>
  )
}
