import type { CheckResult } from '../verification.ts'
import type { JudgedVerification, VerificationFinding } from './judged.ts'

/** What a SARIF file says about the program and the document. */
export interface SarifContext {
  readonly version: string
  /** The document, relative to the working directory where it is below that. */
  readonly document: string
}

/** The failed checks as SARIF 2.1.0, for code scanning. Accepted ones are suppressed. */
export function toSarif(judged: JudgedVerification, { version, document }: SarifContext): unknown {
  const byId = new Map(judged.checks.map((check) => [check.id, check]))
  const found = judged.findings.flatMap((finding) => {
    const check = byId.get(finding.check)
    return check ? [{ finding, check }] : []
  })
  const { unusable } = judged

  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'pet-sandbox verify',
            version,
            informationUri: 'https://www.npmjs.com/package/pet-sandbox',
            rules: found.map(({ finding, check }) => ({
              id: check.id,
              shortDescription: { text: check.name },
              help: { text: `${check.name} (${check.clause}).` },
              defaultConfiguration: { level: finding.severity },
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: unusable === undefined,
            ...(unusable !== undefined && {
              toolExecutionNotifications: [{ level: 'error', message: { text: unusable } }],
            }),
          },
        ],
        results: found.map(({ finding, check }, ruleIndex) => ({
          ruleIndex,
          ...toResult(finding, check, document),
        })),
        properties: { target: judged.target, contract: judged.contract },
      },
    ],
  }
}

function toResult(
  { severity, accepted, isNew }: VerificationFinding,
  { id, name, expected = '', received = '', operation, exchange }: CheckResult,
  document: string,
): object {
  return {
    ruleId: id,
    level: severity,
    ...(isNew !== undefined && { baselineState: isNew ? 'new' : 'unchanged' }),
    message: { text: `${name}. Expected: ${expected}. Received: ${received}.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: document },
          region: { startLine: 1 },
        },
        ...(operation !== undefined && {
          logicalLocations: [{ fullyQualifiedName: operation, kind: 'function' }],
        }),
      },
    ],
    partialFingerprints: { 'check/v1': id },
    ...(accepted && {
      suppressions: [
        {
          kind: 'external',
          status: 'accepted',
          justification: `${accepted.reason} (${accepted.date})`,
        },
      ],
    }),
    ...(exchange && { properties: { curl: exchange.curl } }),
  }
}
