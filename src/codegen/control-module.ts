import type { Contract, Operation, Parameter, Schema } from '../contract/contract.ts'
import { type Modules, printContract } from './contract-module.ts'
import { printObject, printType, toName } from './print-type.ts'

/**
 * Writes the contract of the control interface down as modules. Of its answers only the status is kept: it gives none that
 * is made from their schemas.
 */
export function generateControl(contract: Contract): Modules {
  const operations = contract.operations.map((operation) => ({
    ...operation,
    responses: operation.responses.map(({ status }) => ({ status })),
  }))

  return {
    ...printContract({ ...contract, operations }, { checks: './control-checks.js' }),
    types: [
      `/** What each operation of ${contract.title} is given, once it was read and checked. Written by the build. */`,
      'export interface Inputs {',
      ...operations.map((operation) => `  ${toName(operation.id)}: ${printInput(operation)}`),
      '}',
      '',
    ].join('\n'),
  }
}

function printInput({ parameters, body }: Operation): string {
  const indent = '    '
  const print = (place: Parameter['in']): string => {
    const there = parameters.filter((parameter) => parameter.in === place)
    const schemas = new Map(there.map(({ name, schema }): [string, Schema] => [name, schema]))
    const sure = there.filter(({ required, schema }) => required || schema.default !== undefined)

    return printObject(schemas, new Set(sure.map(({ name }) => name)), indent)
  }

  return [
    '{',
    `${indent}path: ${print('path')}`,
    `${indent}query: ${print('query')}`,
    ...(body
      ? [`${indent}body${body.required ? '' : '?'}: ${printType(body.schema, indent)}`]
      : []),
    '  }',
  ].join('\n')
}
