import { t } from "@lingui/core/macro"
import type { Role } from "../../../domain/access/Merchants.ts"

/** Texts of sign-in, sign-up and the account menu. */
export const accountTexts = {
  signOut: t`Sign out`,
  email: t`E-mail address`,
  password: t`Password`,
  signIn: t`Sign in`,
  sessionEnded: t`Your session has ended`,
  sessionAdvice: t`Sign in to continue. Your input on this page is kept.`,
  signInAsDeveloper: t`Sign in as a developer`,
  noAccount: t`No account yet?`,
  signUp: t`Sign up`,
  signUpAsDeveloper: t`Sign up as a developer`,
  name: t`Name`,
  passwordHint: t`At least 12 characters. A phrase that you can remember works well.`,
  hasAccount: t`Already have an account?`,
  links: {
    invitation: t`Invitation`,
    join: (store: string) => t`Join ${store}`,
    offer: (email: string, role: Role) =>
      role === "owner" ? t`${email} is invited as an owner.` : t`${email} is invited as staff.`,
    accept: t`Accept invitation`,
    signInFirst: (email: string) => t`${email} has an account. Sign in to accept the invitation.`,
    otherAccount: (email: string) => t`You are signed in as ${email}. Sign out to accept with the invited account.`,
    reset: t`Choose a new password`,
    resetAdvice: t`All sessions of the account end.`,
    resetAction: t`Set password`,
    resetDone: t`Password set`,
    resetDoneAdvice: t`Use the new password from now on.`
  }
} as const
