import type { Input } from '../contract/input.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { type CoreRequest, type CoreResponse, jsonText } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import { getOwn } from '../validation/objects.ts'
import type { Binding } from './bind.ts'
import type { Records } from './records.ts'
import { type Resource, successResponse } from './resource.ts'

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

/** Answers a request from the records of its resource. */
export type Behaviour = (
  admitted: AdmittedRequest,
  records: Records,
) => BehaviourResult | Promise<BehaviourResult>

/** A response with the status of the document's first 2xx response, and a body only if that one has a body. */
export function respond(
  admitted: AdmittedRequest,
  usual: number,
  text: string,
  headers?: CoreResponse['headers'],
): CoreResponse {
  const { responses, otherResponses } = admitted.binding.operation
  // `behaveAsDocumented` chooses status and media type.
  if (otherResponses) return { status: usual, headers: headers ?? {}, body: text }
  const documented = successResponse(responses)
  return jsonText(documented?.status ?? usual, documented?.schema && text, headers)
}

/** The id in the path, as records have it: a number if theirs are numbers. Many documents declare the parameter as a string. */
export function requestedId(
  { input }: AdmittedRequest,
  { id, idParameter = id, schema }: Resource,
): Id {
  const sent = String(getOwn(input.path, idParameter))
  const types = [propertiesOf(schema).get(id)?.type].flat()
  const isCounted = types.includes('integer') || types.includes('number')

  return isCounted && String(Number(sent)) === sent ? Number(sent) : sent
}

/** The values that the properties of listed records must have. */
export function filtersIn(query: Input['query'], { filters }: Resource): StoredRecord {
  return Object.fromEntries(
    filters.flatMap((name) => (Object.hasOwn(query, name) ? [[name, query[name]]] : [])),
  )
}

/** The 404 of a record that does not exist. */
export function notFound({ request }: AdmittedRequest): Problem {
  return problems.notFound(`No resource was found at ${request.path}.`)
}
