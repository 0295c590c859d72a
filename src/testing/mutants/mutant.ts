import type { Mutation } from './mutation.ts'

/** A defect of a service, the id of the check that finds it, and the mutation that causes it. */
export type Mutant = readonly [defect: string, id: string, mutation: Mutation]
