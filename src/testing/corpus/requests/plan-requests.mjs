// Which requests are sent for a document. All servers get the same ones.
import { evenly } from '../documents.mjs'
import { SchemaValidator } from '../openapi/schema-validator.mjs'
import { sampleParts, toRequest } from './build-request.mjs'
import { refusalsOf } from './refusals.mjs'

/** Operations that remove come last, and the innermost first, so that nothing else misses what they remove. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * `{ samples, optional, refusals, validator, operations }`: one valid request for each of at most `limit` operations, one with all
 * optional parameters for each GET among them that has any, at most `limit / 2` refusals of each kind, and the validator of
 * responses. `operations` is the number of chosen operations, with those that have no valid request.
 */
export function planRequests(document, limit) {
  const requests = new SchemaValidator(document.root, 'request')
  const operations = evenly(document.operations.filter(hasSuccess), limit)
  const sample = (operation, withOptional) => {
    const parts = sampleParts(document, operation, requests, withOptional)
    const request = parts && toRequest(operation, parts)
    return request ? [{ operation, parts, request }] : []
  }
  const samples = inOrder(operations).flatMap((operation) => sample(operation, false))
  const optional = samples.filter(hasOptional).flatMap(({ operation }) => sample(operation, true))
  const refusals = Object.entries(refusalsOf(samples, document.operations, requests)).map(
    ([kind, cases]) => [kind, evenly(cases, Math.ceil(limit / 2))],
  )
  return {
    samples,
    optional,
    refusals: Object.fromEntries(refusals),
    validator: new SchemaValidator(document.root, 'response'),
    operations: operations.length,
  }
}

/** Some documents have only errors. They do not say what the answer to a valid request is. */
function hasSuccess({ responses }) {
  return [...responses.keys()].some((status) => /^[123D]/.test(status))
}

function hasOptional({ operation: { method, parameters } }) {
  return method === 'GET' && parameters.some(({ required }) => !required)
}

function inOrder(operations) {
  const depth = ({ path }) => path.split('/').length
  return [...operations].sort(
    (one, two) =>
      ORDER.indexOf(one.method) - ORDER.indexOf(two.method) ||
      (one.method === 'DELETE' ? depth(two) - depth(one) : 0),
  )
}
