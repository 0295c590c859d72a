import { chooseResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt, typesIn } from '../../contract/schema.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess } from '../messages.ts'
import { isId, isOnItem, recordIn, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { parameterValues } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, storyOf } from './steps.ts'

/** The most names that are expanded. */
const MAX_NAMES = 4

/** A read that asks for the record behind a reference shows it in place of its id. */
export function expansionProbes({ bindings: { create, read } }: BoundResource): Probe[] {
  if (!create || !read || !isOnItem(create, read)) return []
  return namesOf(read).map(({ parameter, name }) => {
    const text = `shows the record of ${name} when ${parameter}=${name} is asked for`
    const check = operationCheck(
      read.operation,
      `${parameter}=${name}`,
      text,
      ([, plain, expanded]) => {
        if (!plain || !expanded || !isSuccess(plain) || !isSuccess(expanded)) return NOT_REACHED
        const [before, after] = [plain, expanded].map((one) => valuesIn(recordIn(one, read)))
        if (!isObject(before) || !isId(before[name]))
          return { leftOut: 'the record has no id there' }
        const shown = isObject(after) ? after[name] : undefined
        return passIf(isObject(shown), expanded, `an object as "${name}"`)
      },
    )
    const steps = [
      creation(create),
      onCreated(read, create, 0),
      onCreated(read, create, 0, (request) => ({
        ...request,
        target: withQuery(request.target, (one) => one === parameter, [[parameter, name]]),
      })),
    ]
    return storyOf(ORDER.boundaryValue + 0.9, steps, [check])
  })
}

/** The names of references that the document allows for the parameter, and whose schema has an id or the record. */
function namesOf({
  operation,
  hints: { expand, record },
}: ResourceBinding): readonly { readonly parameter: string; readonly name: string }[] {
  const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === expand)
  const { schema = {} } = chooseResponse(operation).documented ?? {}
  const shown = propertiesOf(schemaAt(schema, record ?? '') ?? {})
  if (!parameter) return []
  const single = parameter.schema.items
    ? { ...parameter, schema: parameter.schema.items, validate: () => true }
    : parameter
  return parameterValues(single)
    .valid.filter((name) => {
      const types = typesIn(shown.get(name) ?? {})
      return types.has('object') && (types.has('string') || types.has('integer'))
    })
    .slice(0, MAX_NAMES)
    .map((name) => ({ parameter: parameter.name, name }))
}
