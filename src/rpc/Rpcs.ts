import { MemberRpcs, SessionRpcs, StoreRpcs } from "./Access.ts"
import { ActivityRpcs } from "./Activity.ts"
import { CollectionRpcs, ProductRpcs } from "./Catalog.ts"

/** Every procedure of the second surface, for merchants who are signed in. */
export const Rpcs = ProductRpcs.merge(CollectionRpcs, StoreRpcs, MemberRpcs, SessionRpcs, ActivityRpcs)
