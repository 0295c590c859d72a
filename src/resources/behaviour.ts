import type { Input } from '../contract/input.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { Binding } from './bind.ts'

/** An admitted request with its input, to be answered from the store. */
export interface AdmittedRequest {
  readonly request: CoreRequest
  readonly binding: Binding
  readonly input: Input
  /** The time in epoch milliseconds, for dates that the service sets. */
  readonly now: number
  /** For responses that are made from the document. */
  readonly service: AnsweringService
  /** The status of a documented success that the request asks for. */
  readonly status?: number | undefined
}

/** The response to a request, and how to undo its change. */
export interface BehaviourResult {
  readonly response: CoreResponse
  /** Undoes the change; absent when the request changed nothing. */
  readonly undo?: () => Promise<void>
  /** What the client sent that was not used. */
  readonly notes?: readonly Note[]
}

/** The 404 of a record that does not exist. */
export function notFound({ request }: AdmittedRequest): Problem {
  return problems.notFound(`No resource was found at ${request.path}.`)
}
