export type Classification = 'code' | 'config' | 'infra';
export type Confidence = 'high' | 'medium' | 'low';
export type Owner = 'developer' | 'convoy';

/** The card a person reads: what broke, whose it is and what would mend it. */
export type Diagnosis = {
  readonly lane: string;
  readonly rootCause: string;
  readonly classification: Classification;
  readonly confidence: Confidence;
  readonly owned: Owner;
  readonly fix: string;
  readonly reproduction: string;
  readonly evidence: readonly Reference[];
  /** Absent where no model was to have a part in it. */
  readonly by?: 'model' | 'rules';
  /** Why the rules had to answer for the model. */
  readonly because?: string;
};

/** A line of the log, or with a file a line of the repository. */
export type Reference = {
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
};

export type Verdict =
  | { readonly diagnosis: Diagnosis; readonly rule: string }
  | { readonly diagnosis: null; readonly reason: string };

/**
 * How near a finding is to the root.
 *
 * A cause names the thing itself, a fault is an error with a place, a symptom only says that it hurts.
 */
export type Tier = 'cause' | 'fault' | 'symptom';

/** What one rule believes, before the ranking. */
export type Candidate = {
  readonly rule: string;
  readonly tier: Tier;
  /** 0 to 100. */
  readonly score: number;
  /** Where in the log it shows first; Infinity when it does not show there. */
  readonly at: number;
  /** The thing it accuses (a variable, a module, a file, a port); two rules that agree accuse the same. */
  readonly subject: string;
  readonly rootCause: string;
  readonly classification: Classification;
  readonly owned: Owner;
  readonly fix: string;
  readonly reproduction: string;
  readonly evidence: readonly Reference[];
};
