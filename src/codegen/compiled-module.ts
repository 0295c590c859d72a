import { CONTRACT_FORMAT, type Contract } from '../contract/contract.ts'
import { helpers } from '../generated/check-helpers.ts'
import { printParts, withServedParts } from './contract-module.ts'
import { generateCompiledTypes } from './contract-types.ts'
import { inBlocks } from './print-checks.ts'
import { printString } from './print-literal.ts'

/** A contract as a module that needs no other module, no YAML parser, no Ajv and no `eval`. */
export interface CompiledModule {
  /** JavaScript: exports `contract`. */
  readonly code: string
  /** Its declaration file. */
  readonly types: string
}

/** Compiles a contract into a module. `heading` is its first comment, and `command` wrote it. */
export function compileModule(
  contract: Contract,
  { heading, command }: { readonly heading: string; readonly command: string },
): CompiledModule {
  const compiled = { format: CONTRACT_FORMAT, ...withServedParts(contract) }
  const { literal, schemas, checks } = printParts(compiled)
  const used = helpersIn(checks)

  return {
    code: [
      `// ${heading} This command wrote it:`,
      // An expression, because a mere string at the start of a module is a directive.
      `void ${printString(command)}`,
      ...(used.texts.length > 0 ? [NOTICE] : []),
      ...used.texts,
      inBlocks(used.checks, 'let'),
      ...schemas,
      `export const contract = ${literal}`,
      '',
    ].join('\n'),
    types: [`// ${heading}`, generateCompiledTypes(compiled)].join('\n'),
  }
}

const NOTICE =
  '// Contains parts of Ajv and ajv-formats, Copyright (c) 2015-2021 Evgeny Poberezkin, and of fast-deep-equal, Copyright (c) 2017 Evgeny Poberezkin: MIT License, https://opensource.org/license/mit'

/** A line in which Ajv declares a helper that it loads with `require`. */
const REQUIRED = /^(const \w+ = )(require\("[^"]+"\)\.\w+)/gm

/** The helpers that the validators use, and the validators with their names instead of `require`. */
function helpersIn(batches: readonly string[]): {
  readonly texts: readonly string[]
  readonly checks: readonly string[]
} {
  const texts = new Set<string>()
  const checks = batches.map((batch) =>
    batch.replaceAll(REQUIRED, (_line, start: string, expression: string) => {
      const helper = helpers.find((one) => one.expression === expression)
      if (!helper) throw new TypeError(`The module cannot contain ${expression}`)
      texts.add(helper.text)
      return start + helper.name
    }),
  )

  return { texts: [...texts], checks }
}
