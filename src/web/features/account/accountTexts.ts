import type { Role } from "../../../domain/access/Merchants.ts"

/** Texts of sign-in, sign-up and the account menu. */
export const accountTexts = {
  signOut: "Sign out",
  email: "E-mail address",
  password: "Password",
  signIn: "Sign in",
  signInAsDeveloper: "Sign in as a developer",
  noAccount: "No account yet?",
  signUp: "Sign up",
  signUpAsDeveloper: "Sign up as a developer",
  name: "Name",
  passwordHint: "At least 12 characters. A phrase that you can remember works well.",
  hasAccount: "Already have an account?",
  links: {
    invitation: "Invitation",
    join: (store: string) => `Join ${store}`,
    offer: (email: string, role: Role) =>
      role === "owner" ? `${email} is invited as an owner.` : `${email} is invited as staff.`,
    accept: "Accept invitation",
    signInFirst: (email: string) => `${email} has an account. Sign in to accept the invitation.`,
    otherAccount: (email: string) => `You are signed in as ${email}. Sign out to accept with the invited account.`,
    reset: "Choose a new password",
    resetAdvice: "All sessions of the account end.",
    resetAction: "Set password",
    resetDone: "Password set",
    resetDoneAdvice: "Use the new password from now on."
  }
} as const
