/* The elements of PMML 3.0 to 4.4 and its built-in functions, by name: see pmml.h.  Names follow the schemas of the Data
 * Mining Group (dmg.org). */
#include "pmml.h"
#include "xml_file.h"

/* Both sorted. */
/* clang-format off */
static const char *const elements[] = {
	"AR", "ARDSquaredExponentialKernel", "ARIMA", "ARMAPart", "AbsoluteExponentialKernel", "Aggregate", "Alternate",
	"Annotation", "AnomalyDetectionModel", "Anova", "AnovaRow", "AntecedentSequence", "AnyDistribution", "Application",
	"Apply", "Array", "AssociationModel", "AssociationRule", "Attribute", "BaseCumHazardTables", "Baseline",
	"BaselineCell", "BaselineModel", "BaselineStratum", "BayesInput", "BayesInputs", "BayesOutput",
	"BayesianNetworkModel", "BayesianNetworkNodes", "BlockIndicator", "BoundaryValueMeans", "BoundaryValues",
	"CategoricalPredictor", "Categories", "Category", "CenterFields", "Characteristic", "Characteristics",
	"ChildParent", "ClassLabels", "Cluster", "ClusteringField", "ClusteringModel", "ClusteringModelQuality",
	"Coefficient", "Coefficients", "ComparisonMeasure", "Comparisons", "ComplexPartialScore", "CompoundPredicate",
	"CompoundRule", "Con", "ConfusionMatrix", "ConsequentSequence", "Constant", "Constraints", "ContStats",
	"ContinuousConditionalProbability", "ContinuousDistribution", "ContinuousNode", "CorrelationFields",
	"CorrelationMethods", "CorrelationValues", "Correlations", "CountTable", "Counts", "Covariances", "CovariateList",
	"DataDictionary", "DataField", "Decision", "DecisionTree", "Decisions", "DefineFunction", "Delimiter",
	"Denominator", "DerivedField", "DiscrStats", "DiscreteConditionalProbability", "DiscreteNode", "Discretize",
	"DiscretizeBin", "DocumentTermMatrix", "DynamicRegressor", "EventValues", "ExponentialSmoothing", "Extension",
	"FactorList", "False", "FieldColumnPair", "FieldRef", "FieldValue", "FieldValueCount", "FinalNoise", "FinalNu",
	"FinalOmega", "FinalPredictedNoise", "FinalStateVector", "FinalTheta", "GARCH", "GARCHPart", "GaussianDistribution",
	"GaussianProcessModel", "GeneralRegressionModel", "GeneralizedExponentialKernel", "HVector", "Header",
	"INT-Entries", "INT-SparseArray", "Indices", "InlineTable", "InstanceField", "InstanceFields", "InterceptVector",
	"Interval", "Item", "ItemRef", "Itemset", "KNNInput", "KNNInputs", "KalmanState", "KohonenMap", "Lag", "Lambda",
	"Level", "LiftData", "LiftGraph", "LinearKernelType", "LinearNorm", "LocalTransformations",
	"LognormalDistributionForBN", "Lower", "MA", "MACoefficients", "MapValues", "MatCell", "Matrix",
	"MaximumLikelihoodStat", "Mean", "MeanClusterDistances", "MeasurementMatrix", "MiningBuildTask", "MiningField",
	"MiningModel", "MiningSchema", "MissingValueWeights", "ModelExplanation", "ModelLiftGraph", "ModelStats",
	"ModelVerification", "MultivariateStat", "MultivariateStats", "NaiveBayesModel", "NearestNeighborModel",
	"NeuralInput", "NeuralInputs", "NeuralLayer", "NeuralNetwork", "NeuralOutput", "NeuralOutputs", "Neuron", "Node",
	"NonseasonalComponent", "NonseasonalFactor", "NormContinuous", "NormDiscrete", "NormalDistributionForBN",
	"NormalizedCountTable", "Numerator", "NumericInfo", "NumericPredictor", "ObservationVarianceMatrix",
	"OptimumLiftGraph", "OutlierEffect", "Output", "OutputField", "PCell", "PCovCell", "PCovMatrix", "PMML", "PPCell",
	"PPMatrix", "PairCounts", "ParamMatrix", "Parameter", "ParameterField", "ParameterList", "ParentValue", "Partition",
	"PartitionFieldStats", "PastVariances", "PoissonDistribution", "PolynomialKernelType",
	"PredictedStateCovarianceMatrix", "PredictiveModelQuality", "Predictor", "PredictorTerm", "PsiVector", "Quantile",
	"REAL-Entries", "REAL-SparseArray", "ROC", "ROCGraph", "RadialBasisKernel", "RadialBasisKernelType",
	"RandomLiftGraph", "Regression", "RegressionModel", "RegressionTable", "RegressorValues",
	"ResidualSquareCoefficients", "Residuals", "ResultField", "RuleSelectionMethod", "RuleSet", "RuleSetModel",
	"ScoreDistribution", "Scorecard", "SeasonalComponent", "SeasonalFactor", "SeasonalTrendDecomposition",
	"Seasonality_ExpoSmooth", "Segment", "Segmentation", "SelectedStateCovarianceMatrix", "Sequence", "SequenceModel",
	"SequenceReference", "SequenceRule", "SetPredicate", "SetReference", "SigmoidKernelType", "SimplePredicate",
	"SimpleRule", "SimpleSetPredicate", "SpectralAnalysis", "StateSpaceModel", "StateVector", "SupportVector",
	"SupportVectorMachine", "SupportVectorMachineModel", "SupportVectors", "TableLocator", "Target", "TargetValue",
	"TargetValueCount", "TargetValueCounts", "TargetValueStat", "TargetValueStats", "Targets", "Taxonomy",
	"TestDistributions", "TextCorpus", "TextDictionary", "TextDocument", "TextIndex", "TextIndexNormalization",
	"TextModel", "TextModelNormalization", "TextModelSimiliarity", "Theta", "ThetaRecursionState", "Time", "TimeAnchor",
	"TimeCycle", "TimeException", "TimeSeries", "TimeSeriesModel", "TimeValue", "Timestamp", "TrainingInstances",
	"TransferFunctionValues", "TransformationDictionary", "TransitionMatrix", "TreeModel", "TrendCoefficients",
	"Trend_ExpoSmooth", "TriangularDistributionForBN", "True", "UniformDistribution", "UniformDistributionForBN",
	"UnivariateStats", "Upper", "Value", "ValueProbability", "VariableWeight", "Variance", "VarianceCoefficients",
	"VectorDictionary", "VectorFields", "VectorInstance", "VerificationField", "VerificationFields", "XCoordinates",
	"YCoordinates", "binarySimilarity", "chebychev", "cityBlock", "euclidean", "jaccard", "minkowski", "row",
	"simpleMatching", "squaredEuclidean", "tanimoto",
};
static const char *const functions[] = {
	"*", "+", "-", "/", "abs", "acos", "and", "asin", "atan", "avg", "ceil", "concat", "cos", "cosh",
	"dateDaysSinceYear", "dateSecondsSinceMidnight", "dateSecondsSinceYear", "equal", "erf", "exp", "expm1", "floor",
	"formatDatetime", "formatNumber", "greaterOrEqual", "greaterThan", "hypot", "if", "isIn", "isMissing", "isNotIn",
	"isNotMissing", "isNotValid", "isValid", "lessOrEqual", "lessThan", "ln", "ln1p", "log10", "lowercase", "matches",
	"max", "median", "min", "modulo", "normalCDF", "normalIDF", "normalPDF", "not", "notEqual", "or", "pow", "product",
	"replace", "rint", "round", "sin", "sinh", "sqrt", "stdNormalCDF", "stdNormalIDF", "stdNormalPDF", "stringLength",
	"substring", "sum", "tan", "tanh", "threshold", "trimBlanks", "uppercase",
};
/* clang-format on */

bool pmml_is_element(struct bytes name)
{
	return xml_listed(elements, sizeof(elements) / sizeof(elements[0]), name);
}

bool pmml_is_function(struct bytes name)
{
	return xml_listed(functions, sizeof(functions) / sizeof(functions[0]), name);
}
