import { traceAround } from '../case-file.ts';
import type { CaseFile, Hit } from '../case-file.ts';
import { envNamesIn } from '../env-names.ts';
import { grep, lineAt } from '../repository.ts';
import type { Place } from '../repository.ts';
import { fromWordings } from './wording.ts';

type Provider = {
  readonly name: string;
  readonly pattern: RegExp;
  /** Variables that such clients take their key from. */
  readonly variable: RegExp;
};

const PROVIDERS: readonly Provider[] = [
  {
    name: 'Stripe',
    pattern: /Invalid API Key provided:? ?\S*|StripeAuthenticationError|Expired API Key provided/,
    variable: /STRIPE\w*/,
  },
  {
    name: 'OpenAI',
    pattern: /Incorrect API key provided|You didn't provide an API key|invalid_api_key/,
    variable: /OPENAI\w*/,
  },
  {
    name: 'Anthropic',
    pattern: /invalid x-api-key|authentication_error.*x-api-key/,
    variable: /ANTHROPIC\w*/,
  },
  {
    name: 'AWS',
    pattern:
      /Could not load credentials from any providers|UnrecognizedClientException|InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken(?:Exception)?\b|Unable to locate credentials|NoCredentialsError|CredentialsProviderError|InvalidAccessKeyId|no EC2 IMDS role found|failed to refresh cached credentials|Unable to load AWS credentials|The security token included in the request is (?:invalid|expired)|Missing region in config|You must specify a region/,
    variable: /AWS\w*|S3\w*/,
  },
  {
    name: 'Google Cloud',
    pattern:
      /Could not load the default credentials|DefaultCredentialsError|could not find default credentials|invalid_grant|Application Default Credentials/,
    variable: /GOOGLE\w*|GCP\w*|GCLOUD\w*/,
  },
  {
    name: 'Azure',
    pattern:
      /DefaultAzureCredential failed to retrieve|AADSTS\d+|CredentialUnavailable(?:Error|Exception)/,
    variable: /AZURE\w*/,
  },
  {
    name: 'Firebase',
    pattern:
      /Failed to parse private key|Service account object must contain|app\/invalid-credential/,
    variable: /FIREBASE\w*|GOOGLE\w*/,
  },
  {
    name: 'this action (the permission is missing)',
    pattern:
      /is not authorized to perform: ([\w:*-]+)|AccessDenied(?:Exception)?: .*|does not have [\w.]+ access to the [\w ]+|PERMISSION_DENIED: .*|The caller does not have permission|AuthorizationFailed.*|AuthorizationPermissionMismatch|permission denied for (?:table|schema|relation|database|sequence|view) \w+|must be owner of \w+ \w+|INSERT command denied to user.*|\b\w+ command denied to user '[^']+'/,
    variable: /AWS_ACCESS_KEY_ID|GOOGLE_APPLICATION_CREDENTIALS|AZURE_CLIENT_ID/,
  },
  {
    name: 'the mail server',
    pattern:
      /Invalid login: 535|535[- ]5\.7\.\d|SMTPAuthenticationError|EAUTH\b|Username and Password not accepted|MailAuthenticationException/,
    variable: /SMTP\w*|MAIL\w*|EMAIL\w*/,
  },
  {
    name: 'RabbitMQ',
    pattern: /ACCESS_REFUSED - Login was refused|ACCESS-REFUSED|PossibleAuthenticationFailureError/,
    variable: /AMQP\w*|RABBIT\w*|BROKER\w*|CELERY\w*/,
  },
  {
    name: 'Kafka',
    pattern:
      /SASL authentication error|SaslAuthenticationException|SASL (?:SCRAM|PLAIN)\S* authentication failed|SASL_AUTHENTICATION_FAILED/,
    variable: /KAFKA\w*/,
  },
  {
    name: 'Sentry',
    pattern: /Invalid Sentry Dsn|BadDsn|SentryError: Invalid DSN/i,
    variable: /SENTRY\w*/,
  },
  {
    name: 'GitHub',
    pattern: /HttpError: Bad credentials|Bad credentials - https:\/\/docs\.github/,
    variable: /GITHUB\w*|GH_\w*/,
  },
  {
    name: 'Twilio',
    pattern:
      /accountSid must start with AC|username is required.*twilio|TwilioRestException.*Authenticate/i,
    variable: /TWILIO\w*/,
  },
  {
    name: 'the license server',
    pattern:
      /(?:[Ll]icen[cs]e (?:key )?(?:is |has )?(?:invalid|expired|missing|not found)|No valid licen[cs]e)/,
    variable: /LICEN[CS]E\w*/,
  },
  {
    name: 'a private key',
    pattern:
      /DECODER routines::unsupported|Invalid PEM formatted message|PEM routines::no start line|PEM routines:get_name:no start line|Could not (?:deserialize|parse) key data|InvalidKeyException|asn1: structure error|failed to (?:parse|decode) PEM|invalid private key/i,
    variable: /\w*(?:PRIVATE|KEY|PEM|CERT)\w*/,
  },
];

type Read = { readonly place: Place; readonly name: string };

/** The variable that the program takes the key from, where it can be found. */
function variable(hit: Hit, file: CaseFile, { variable: shape }: Provider): Read | null {
  const wanted = new RegExp(`^(?:${shape.source})$`);
  const nameIn = (text: string): string | undefined =>
    envNamesIn(text).find((name) => wanted.test(name));
  const trace = traceAround(file, hit.at)?.places[0];
  const near = trace === undefined ? undefined : nameIn(lineAt(file.repo, trace) ?? '');
  if (trace !== undefined && near !== undefined) return { place: trace, name: near };
  for (const found of grep(file.repo, /env/i)) {
    const name = nameIn(found.text);
    if (name !== undefined) return { place: found, name };
  }
  return null;
}

const nameAt = (hit: Hit, file: CaseFile, provider: Provider): string =>
  variable(hit, file, provider)?.name ?? '';

/** A service that this one calls, or its own key material, does not accept the credentials. */
export const credentials = fromWordings(
  PROVIDERS.map((provider) => ({
    rule: 'credentials',
    pattern: provider.pattern,
    score: 94,
    classification: 'config' as const,
    subject: (hit: Hit, file: CaseFile): string => {
      const name = nameAt(hit, file, provider);
      return name === '' ? `credentials:${provider.name}` : `env:${name}`;
    },
    rootCause: (hit: Hit, file: CaseFile): string => {
      const name = nameAt(hit, file, provider);
      const given = name !== '' && file.evidence.env.given.includes(name);
      const source =
        name === '' ? '' : given ? `: see the value of ${name}` : `: ${name} is not set`;
      return `The credentials for ${provider.name} are missing or not accepted ("${hit.match[0].trim().slice(0, 120)}")${source}.`;
    },
    fix: (hit: Hit, file: CaseFile): string =>
      `Stage valid credentials for ${provider.name}${nameAt(hit, file, provider) ? ` as ${nameAt(hit, file, provider)}` : ''} for this lane.`,
    place: (hit: Hit, file: CaseFile): Place | null => variable(hit, file, provider)?.place ?? null,
  })),
);
