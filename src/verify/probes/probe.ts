import type { Judged } from '../facts/fact.ts'
import type { Answer, Question } from '../service/answer.ts'
import type { Session } from '../service/session.ts'

/** Some requests, and the facts that their answers tell of. */
export interface Probe {
  /** The lower, the sooner: what tells most comes first. */
  readonly rank: number
  /** Requests at the most. */
  readonly cost: number
  /** What the user has to allow first. */
  readonly needs?: 'writes' | 'exhaust'
  /** Whether others build on what it finds. */
  readonly isBasic?: true
  readonly facts: readonly Judged[]
  readonly ask: (session: Session) => Promise<readonly Answer[]>
}

/** A probe of one request. */
export function single(
  rank: number,
  question: Question,
  facts: readonly Judged[],
  needs?: Probe['needs'],
): Probe {
  return {
    rank,
    cost: 1,
    ...(needs && { needs }),
    facts,
    ask: async (session) => [await session.send(question)],
  }
}
