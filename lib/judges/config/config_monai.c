/* Classes of MONAI that its bundles name by one word: what configurations of models make, and what calls nothing it is told by
 * name.  A word that is none of MONAI's own pydoc.locate() imports from wherever Python looks (monai/utils/module.py, instantiate()),
 * so that only these are vouched for.  From MONAI 1.5's packages transforms, networks, losses, metrics, inferers, handlers, data,
 * engines, optimizers, visualize, and its applications but those that run programs or unpickle; names of older releases too. */
#include "config_monai.h"

#include <string.h>

/* Sorted.  Of each transform the dictionary's variants (d, D, Dict) are meant, too. */
/* clang-format off */
static const char *const classes[] = {
	"ADN", "AEKLDownsample", "AEKLResBlock", "AHNet", "AHnet", "ATSSMatcher", "AUCMLoss",
	"AbsolutePositionalEmbedding", "AbsoluteVolumeDifferenceMetric", "ActiConvNormBlock",
	"ActivationCheckpointWrapper", "Activations", "AddChannel", "AddClickSignalsd", "AddCoordinateChannels",
	"AddExtremePointsChannel", "AddGuidanceFromPointsDeepEditd", "AddGuidanceFromPointsd",
	"AddGuidanceSignalDeepEditd", "AddGuidanceSignald", "AddInitialSeedPointDeepEditd",
	"AddInitialSeedPointMissingLabelsd", "AddInitialSeedPointd", "AddLabelAsGuidanced", "AddPointGuidanceSignald",
	"AddRandomGuidanceDeepEditd", "AddRandomGuidanced", "AdditiveUpSampleBlock", "AdjustContrast",
	"AdversarialCriterions", "AdversarialTrainer", "Affine", "AffineBox", "AffineBoxToImageCoordinate",
	"AffineBoxToWorldCoordinated", "AffineGrid", "AffineHead", "AffineTransform", "Ahnet", "AnchorGenerator",
	"AnchorGeneratorWithAnchorShape", "ApplyFilter", "ApplyPending", "ApplyTransformToPoints", "ArrayDataset",
	"AsChannelFirst", "AsChannelLast", "AsDiscrete", "AsymmetricFocalLoss", "AsymmetricFocalTverskyLoss",
	"AsymmetricPad", "AsymmetricUnifiedFocalLoss", "Attention", "AttentionBlock", "AttentionLayer",
	"AttentionModule", "AttentionUnet", "AttnDownBlock", "AttnMidBlock", "AttnUpBlock", "AutoEncoder",
	"AutoencoderKL", "AutoencoderKlMaisi", "AveragePrecision", "AveragePrecisionMetric", "AvgMerger",
	"BackboneWithFPN", "BarlowTwinsLoss", "BasicLayer", "BasicUNet", "BasicUNetPlusPlus", "BasicUnet",
	"BasicUnetPlusPlus", "Basicunet", "BasicunetPlusPlus", "BatchInverseTransform", "BendingEnergyLoss",
	"BertAttention", "BertMixedLayer", "BertOutput", "BertPreTrainedModel", "BilateralFilter", "BlockArgs",
	"BorderPad", "Bottleneck", "Bottleneck3x3x1", "BoundaryLoss", "BoundingRect", "BoxCoder", "BoxGIoULoss",
	"BoxMode", "BoxSelector", "BoxToMask", "CABlock", "CAM", "CAMBase", "COCOMetric", "CRF", "CSVDataset",
	"CSVIterableDataset", "CSVSaver", "CacheDataset", "CalibrationError", "CalibrationErrorMetric",
	"CalibrationReduction", "CastTempType", "CastToFloat", "CastToFloatAll", "CastToType", "Cell", "CellInterface",
	"CellSamWrapper", "CenterScaleCrop", "CenterSizeMode", "CenterSpatialCrop", "ChannelPad", "ChannelSELayer",
	"CheckpointLoader", "CheckpointSaver", "CheckpointUNet", "ClassMappingClassify", "ClassesToIndices",
	"ClassificationSaver", "Classifier", "ClassifierBlock", "ClearMLHandler", "ClearMLImageHandler",
	"ClearMLStatsHandler", "ClipBoxToImage", "ClipIntensityPercentiles", "CoilSensitivityModel", "ComplexUnet",
	"Compose", "ComputeHoVerMaps", "ConcatItems", "ConfusionMatrix", "ConfusionMatrixMetric", "ConjugateGradient",
	"ContrastiveLoss", "ControlNet", "ControlNetConditioningEmbedding", "ControlNetDiffusionInferer",
	"ControlNetLatentDiffusionInferer", "ControlNetMaisi", "ConvBlock", "ConvConcatDenseBlock", "ConvDenseBlock",
	"ConvertBoxMode", "ConvertBoxToPoints", "ConvertBoxToStandardMode", "ConvertPointsToBoxes",
	"ConvertToMultiChannelBasedOnBratsClasses", "Convolution", "CopyItems", "CornerCornerModeTypeA",
	"CornerCornerModeTypeB", "CornerCornerModeTypeC", "CornerSizeMode", "Critic", "Crop", "CropForeground",
	"CrossAttentionBlock", "CrossAttnDownBlock", "CrossAttnMidBlock", "CrossAttnUpBlock", "CrossValidation",
	"CuCIM", "CuCIMWSIReader", "Cumulative", "CumulativeAverage", "CumulativeIterationMetric", "CutMix", "CutOut",
	"DAF3D", "DDIMScheduler", "DDPMPredictionType", "DDPMScheduler", "DDPMVarianceType", "DVF2DDF", "Daf3dASPP",
	"Daf3dBackbone", "Daf3dBackboneWithFPN", "Daf3dFPN", "Daf3dResNet", "Daf3dResNetBottleneck",
	"Daf3dResNetDilatedBottleneck", "DataLoader", "DataLoaderIter", "DataStats", "Dataset", "DatasetCalculator",
	"DatasetFunc", "DatasetSummary", "DecathlonDataset", "Decoder", "DecoderOnlyTransformer", "Decollate",
	"DecollateBatch", "DecomposedRelativePosEmbedding", "DeepSupervisionLoss", "DeleteItems", "DenseBlock",
	"DenseNet", "DenseNet121", "DenseNet169", "DenseNet201", "DenseNet264", "Densenet", "Densenet121",
	"Densenet169", "Densenet201", "Densenet264", "DepthwiseFFTConv2d", "DepthwiseFFTConv3d", "DetectEnvelope",
	"DiNTS", "Dice", "DiceCELoss", "DiceFocalLoss", "DiceHandler", "DiceHelper", "DiceLoss", "DiceMetric",
	"DiffusionInferer", "DiffusionLoss", "DiffusionModelEncoder", "DiffusionModelUNet", "DiffusionModelUNetMaisi",
	"DiffusionPrepareBatch", "DiffusionUNetResnetBlock", "DiffusionUNetTransformerBlock", "DiffusionUnetDownsample",
	"DiscardAddGuidanced", "Discriminator", "DisplacementField", "DistanceTransformEDT", "DistributedSampler",
	"DistributedWeightedRandomSampler", "DivisiblePad", "Down", "DownBlock", "DownSample", "DownTransition",
	"Downsample", "DropPath", "DynUNet", "DynUNetSkipLayer", "DynUnet", "Dynunet", "EMAQuantizer",
	"EarlyStopHandler", "EfficientNet", "EfficientNetBN", "EfficientNetBNFeatures", "EfficientNetEncoder",
	"EllipticalFilter", "EmbeddingCollapseMetric", "Encoder", "Ensemble", "EnsembleEvaluator", "EnsureChannelFirst",
	"EnsureType", "EquispacedKspaceMask", "Evaluator", "ExponentialLR", "ExtraFPNBlock",
	"ExtractDataKeyFromMetaKeyd", "ExtractHEStains", "ExtractPatchd", "FBetaScore", "FCN", "FIDMetric",
	"FactorizedIncreaseBlock", "FactorizedReduceBlock", "FastMRIReader", "FeaturePyramidNetwork", "FeedForward",
	"Fetch2DSliced", "FgBgToIndices", "FillHoles", "FilterImaged", "Final", "FindAllValidSlicesDeepEditd",
	"FindAllValidSlicesMissingLabelsd", "FindAllValidSlicesd", "FindDiscrepancyRegionsDeepEditd",
	"FindDiscrepancyRegionsd", "Flatten", "FlattenLabeld", "FlattenSequence", "FlattenSubKeys", "FlexUNet",
	"FlexUNetEncoderRegister", "FlexibleUNet", "Flip", "FlipBox", "FocalLoss", "FolderLayout", "FolderLayoutBase",
	"ForegroundMask", "Fourier", "FromMetaTensor", "FullyConnectedNet", "FunctionSignature", "GCN", "GEGLU",
	"GanTrainer", "GarbageCollector", "GaussianFilter", "GaussianMixtureModel", "GaussianSharpen", "GaussianSmooth",
	"GeneralizedDiceFocalLoss", "GeneralizedDiceLoss", "GeneralizedDiceScore", "GeneralizedWassersteinDiceLoss",
	"GenerateDistanceMap", "GenerateHeatmap", "GenerateInstanceBorder", "GenerateInstanceCentroid",
	"GenerateInstanceContour", "GenerateInstanceType", "GenerateSuccinctContour", "GenerateWatershedMarkers",
	"GenerateWatershedMask", "Generator", "GibbsNoise", "GlobalMutualInformationLoss", "GlobalNet", "GradCAM",
	"GradCAMpp", "GridDistortion", "GridPatch", "GridPatchDataset", "GridSplit", "GuidedBackpropGrad",
	"GuidedBackpropSmoothGrad", "HardNegativeSampler", "HardNegativeSamplerBase", "HausdorffDTLoss",
	"HausdorffDistance", "HausdorffDistanceMetric", "HighResBlock", "HighResNet", "HilbertTransform",
	"HistogramNormalize", "HoVerNet", "HoVerNetInstanceMapPostProcessing", "HoVerNetLoss",
	"HoVerNetNuclearTypePostProcessing", "HoVernet", "HoverNet", "Hovernet", "HyenaMixer", "HyenaNDUNETR",
	"HyenaTransformerBlock", "ITKReader", "ITKWriter", "Identity", "IgniteMetricHandler", "ImageDataset",
	"ImageFilter", "ImageReader", "ImageWriter", "Inferer", "InputTransition", "IntensityRemap", "IntensityStats",
	"Interaction", "Invert", "InvertibleTrait", "InvertibleTransform", "IterableDataset", "IterationEvents",
	"IterationMetric", "JukeboxLoss", "KSpaceSpikeNoise", "KeepLargestConnectedComponent", "KernelType",
	"KspaceMask", "LLTM", "LLTMFunction", "LUConv", "LabelFilter", "LabelQualityScore", "LabelToContour",
	"LabelToMask", "Lambda", "LaplaceFilter", "LastLevelMaxPool", "LastLevelP6P7", "LatentDiffusionInferer",
	"LayerFactory", "LazyTrait", "LazyTransform", "LearningRateFinder", "LesionFROC", "LinearLR", "LoadImage",
	"LocalNet", "LocalNetDownSampleBlock", "LocalNetFeatureExtractorBlock", "LocalNetResidualBlock",
	"LocalNetUpSampleBlock", "LocalNormalizedCrossCorrelationLoss", "LogHausdorffDTLoss", "LogfileHandler",
	"LossMetric", "LrScheduleHandler", "MAEMetric", "MAPEMetric", "MBConvBlock", "MCCLoss", "MCFCN",
	"MDTATransformerBlock", "MILModel", "MLFlowHandler", "MLP", "MLPBlock", "MMDMetric", "MSEMetric",
	"MaisiConvolution", "MaisiDecoder", "MaisiDownsample", "MaisiEncoder", "MaisiGroupNorm3D", "MaisiResBlock",
	"MaisiUpsample", "MapLabelValue", "MapTransform", "Mark", "MarkHandler", "MaskIntensity", "MaskToBox",
	"MaskedAutoEncoderViT", "MaskedDiceLoss", "MaskedLoss", "MaskedPatchWSIDataset", "Matcher", "MaxAvgPool",
	"MeanAbsoluteError", "MeanDice", "MeanEnsemble", "MeanFilter", "MeanIoU", "MeanIoUHandler", "MeanSquaredError",
	"MedNISTDataset", "MedNeXt", "MedNeXtBlock", "MedNeXtDownBlock", "MedNeXtOutBlock", "MedNeXtUpBlock", "MedNext",
	"MedianFilter", "MedianSmooth", "MedicalNetPerceptualSimilarity", "MemoryEfficientSwish", "Merger", "MetaObj",
	"MetaTensor", "Metric", "MetricLogger", "MetricLoggerKeys", "MetricsReloadedBinary",
	"MetricsReloadedBinaryHandler", "MetricsReloadedCategorical", "MetricsReloadedCategoricalHandler",
	"MetricsReloadedWrapper", "MetricsSaver", "Mish", "MixUp", "MixedOp", "Mixer", "ModelWithHooks", "MultiModal",
	"MultiSampleTrait", "MultiScaleLoss", "MultiScalePatchDiscriminator", "MultiScaleSSIMMetric", "NACLLoss",
	"NPZDictItemDataset", "NaViT", "NetAdapter", "NibabelReader", "NibabelWriter", "NormalizeHEStains",
	"NormalizeIntensity", "NormalizeLabelsInDatasetd", "Novograd", "NrrdImage", "NrrdReader", "NuclickKeys",
	"NumpyPadImage", "NumpyReader", "NvImgCodecPydicomReader", "OcclusionSensitivity", "OneOf",
	"OpenSlideWSIReader", "Orientation", "OutputTransition", "OverlapPatchEmbed", "P3DActiConvNormBlock",
	"PHLFilter", "PILReader", "PILWriter", "PNDMPredictionType", "PNDMScheduler", "PSNRMetric", "PSP", "Pad",
	"PadListDataCollate", "PanopticQuality", "PanopticQualityMetric", "ParamSchedulerHandler",
	"PatchAdversarialLoss", "PatchDataset", "PatchDiscriminator", "PatchEmbed", "PatchEmbeddingBlock",
	"PatchInferer", "PatchIter", "PatchMerging", "PatchMergingV2", "PatchWSIDataset", "PathologyProbNMS",
	"PeakSignalToNoiseRatio", "PerceptualLoss", "PerceptualNetworkType", "PersistentDataset", "PointMappingSAM",
	"Pooler", "PositionEmbeddingRandom", "PostFilterLabeld", "PostProcessing", "PrepareBatch",
	"PrepareBatchDefault", "PrepareBatchExtraInput", "PrepareBatchHoVerNet", "ProbMapProducer", "ProbNMS",
	"Projection", "Pseudo3DLayer", "PydicomReader", "Quicknat", "RFlowPredictionType", "RFlowScheduler",
	"RMSEMetric", "ROCAUC", "ROCAUCMetric", "RadImageNetPerceptualSimilarity", "Rand2DElastic", "Rand3DElastic",
	"RandAdjustContrast", "RandAffine", "RandAffineGrid", "RandAxisFlip", "RandBiasField", "RandCoarseDropout",
	"RandCoarseShuffle", "RandCoarseTransform", "RandCrop", "RandCropBoxByPosNegLabel", "RandCropByLabelClasses",
	"RandCropByPosNegLabel", "RandCuCIM", "RandDeformGrid", "RandFlip", "RandFlipBox", "RandGaussianNoise",
	"RandGaussianSharpen", "RandGaussianSmooth", "RandGibbsNoise", "RandGridDistortion", "RandGridPatch",
	"RandHistogramShift", "RandIdentity", "RandImageFilter", "RandIntensityRemap", "RandKSpaceSpikeNoise",
	"RandLambda", "RandMark", "RandRangePop", "RandRangePush", "RandRicianNoise", "RandRotate", "RandRotate90",
	"RandRotateBox90", "RandScaleCrop", "RandScaleIntensity", "RandScaleIntensityFixedMean", "RandShiftIntensity",
	"RandSimulateLowResolution", "RandSmoothDeform", "RandSmoothFieldAdjustContrast",
	"RandSmoothFieldAdjustIntensity", "RandSpatialCrop", "RandSpatialCropSamples", "RandStdShiftIntensity",
	"RandTorchIO", "RandTorchVision", "RandWeightedCrop", "RandZoom", "RandZoomBox", "RandomKspaceMask",
	"RandomOrder", "Randomizable", "RandomizableTrait", "RandomizableTransform", "RangeHandler", "RangePop",
	"RangePopHandler", "RangePush", "RangePushHandler", "ReduceTrait", "ReferenceBasedNormalizeIntensityd",
	"ReferenceBasedSpatialCropd", "Refine", "RegUNet", "RegistrationDownSampleBlock", "RegistrationExtractionBlock",
	"RegistrationResidualConvBlock", "RegressionMetric", "Regressor", "Relabeld", "RemapLabelsToSequentiald",
	"RemoveRepeatedChannel", "RemoveSmallObjects", "RepeatChannel", "ResBlock", "ResNet", "ResNetBlock",
	"ResNetBottleneck", "ResNetEncoder", "ResNetFeatures", "Resample", "ResampleToMatch", "Reshape",
	"ResidualBlock", "ResidualSELayer", "ResidualUnit", "Resize", "ResizeBox",
	"ResizeGuidanceMultipleLabelDeepEditd", "ResizeGuidanced", "ResizeWithPadOrCrop", "RestoreLabeld", "Restormer",
	"RetinaNet", "RetinaNetClassificationHead", "RetinaNetDetector", "RetinaNetRegressionHead",
	"RootMeanSquaredError", "Rotate", "Rotate90", "RotateBox90", "SABlock", "SEBlock", "SEBottleneck", "SENet",
	"SENet154", "SEResNeXt101", "SEResNeXt50", "SEResNeXtBottleneck", "SEResNet101", "SEResNet152", "SEResNet50",
	"SEResNetBottleneck", "SEResNext101", "SEResNext50", "SEnet", "SEnet154", "SEresnet101", "SEresnet152",
	"SEresnet50", "SEresnext101", "SEresnext50", "SPADE", "SPADEAttnUpBlock", "SPADEAutoencoderKL",
	"SPADECrossAttnUpBlock", "SPADEDecoder", "SPADEDiffResBlock", "SPADEDiffusionModelUNet", "SPADEEncoder",
	"SPADENet", "SPADENetResBlock", "SPADEResBlock", "SPADEUpBlock", "SSIMLoss", "SSIMMetric", "SURELoss",
	"SaliencyInferer", "SaveClassification", "SaveImage", "SavitzkyGolayFilter", "SavitzkyGolaySmooth",
	"ScaleIntensity", "ScaleIntensityFixedMean", "ScaleIntensityRange", "ScaleIntensityRangePercentiles",
	"Scheduler", "SegResBlock", "SegResEncoder", "SegResNet", "SegResNetDS", "SegResNetDS2", "SegResNetVAE",
	"SegmentationHead", "SegmentationSaver", "SelectItems", "Senet", "Senet154", "SequentialWithIdx", "Seresnet101",
	"Seresnet152", "Seresnet50", "Seresnext101", "Seresnext50", "SetLabelClassd", "ShapeError", "SharpenFilter",
	"ShiftIntensity", "ShuffleBuffer", "SignalContinuousWavelet", "SignalFillEmpty", "SignalRandAddGaussianNoise",
	"SignalRandAddSine", "SignalRandAddSinePartial", "SignalRandAddSquarePulse", "SignalRandAddSquarePulsePartial",
	"SignalRandDrop", "SignalRandScale", "SignalRandShift", "SignalRemoveFrequency", "SimpleASPP", "SimpleInferer",
	"SimulateDelay", "SingleLabelSelectiond", "SkipConnection", "SkipConnectionWithIdx", "SliceInferer",
	"SlidingPatchWSIDataset", "SlidingWindowHoVerNetInferer", "SlidingWindowInferer", "SlidingWindowInfererAdapt",
	"SlidingWindowSplitter", "SmartCacheDataset", "SmartCacheHandler", "SmoothField", "SmoothGrad",
	"SobelGradients", "SoftDiceclDiceLoss", "SoftclDiceLoss", "SomeOf", "Spacing", "SpatialAttentionBlock",
	"SpatialCrop", "SpatialCropBox", "SpatialCropForegroundd", "SpatialCropGuidanced", "SpatialPad",
	"SpatialResample", "SpatialTransformer", "SplitChannel", "SplitDim", "SplitLabeld", "SplitPredsLabeld",
	"Splitter", "SqueezeDim", "StandardMode", "StandardizeEmptyBox", "StatsHandler", "StdShiftIntensity",
	"StemInterface", "StemTS", "SubpixelDownSample", "SubpixelDownsample", "SubpixelUpSample", "SubpixelUpsample",
	"Subpixeldownsample", "Subpixelupsample", "SupervisedEvaluator", "SupervisedTrainer", "SurfaceDiceMetric",
	"SurfaceDistance", "SurfaceDistanceMetric", "SwinTransformer", "SwinTransformerBlock", "SwinUNETR", "Swish",
	"SwishImplementation", "TRTEngine", "TciaDataset", "TensorBoardHandler", "TensorBoardImageHandler",
	"TensorBoardStatsHandler", "TestTimeAugmentation", "TextEncoder", "ThreadBuffer", "ThreadDataLoader",
	"ThreadUnsafe", "ThresholdIntensity", "TiffFileWSIReader", "ToCupy", "ToDevice", "ToMetaTensor", "ToNumpy",
	"ToPIL", "ToTensor", "TopologyConstruction", "TopologyInstance", "TopologySearch", "TorchIO", "TorchVision",
	"TorchVisionFCModel", "TorchvisionModelPerceptualSimilarity", "TraceableTransform", "TrainDataLoaderIter",
	"TrainableBilateralFilter", "TrainableBilateralFilterFunction", "TrainableJointBilateralFilter",
	"TrainableJointBilateralFilterFunction", "Trainer", "Transchex", "Transform", "TransformInverter",
	"TransformPointsImageToWorld", "TransformPointsWorldToImage", "TransformerBlock", "Transpose", "TrtHandler",
	"TverskyLoss", "TwoConv", "TwoWayAttentionBlock", "TwoWayTransformer", "UNETR", "UNet", "UNetDecoder",
	"UltrasoundConfidenceMap", "UltrasoundConfidenceMapTransform", "Unet", "UnetBasicBlock", "UnetOutBlock",
	"UnetResBlock", "UnetUpBlock", "UnetrBasicBlock", "UnetrPrUpBlock", "UnetrUpBlock", "UpBlock", "UpCat",
	"UpConv", "UpSample", "UpTransition", "Upsample", "UpsamplingModes", "VISTA3D", "VNet",
	"VPredictionPrepareBatch", "VQVAE", "VQVAEResidualUnit", "VQVAETransformerInferer", "ValDataLoaderIter",
	"ValidationHandler", "VanillaGrad", "VarAutoEncoder", "VarFullyConnectedNet", "VarNetBlock", "VarianceMetric",
	"VariationalNetworkModel", "VectorQuantizer", "ViT", "ViTAutoEnc", "VistaPostTransformd", "VistaPreTransformd",
	"VoteEnsemble", "VoxelMorph", "VoxelMorphUNet", "WSIReader", "WSISlidingWindowSplitter", "WarmupCosineSchedule",
	"Warp", "Watershed", "WindowAttention", "Workflow", "WrappedUpsample", "WriteFileMapping", "ZarrAvgMerger",
	"ZipDataset", "Zoom", "ZoomBox",
};
/* clang-format on */

static int compare(struct bytes a, const char *b)
{
	size_t n = strlen(b);
	int order = memcmp(a.at, b, a.n < n ? a.n : n);

	return order != 0 ? order : (a.n > n) - (a.n < n);
}

static bool is_listed(struct bytes name)
{
	size_t low = 0, high = sizeof(classes) / sizeof(classes[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(name, classes[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool config_is_monai_class(struct bytes name)
{
	static const char *const variants[] = { "Dict", "D", "d" };

	if (name.n == 0 || is_listed(name))
		return name.n > 0;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		size_t n = strlen(variants[i]);

		if (name.n > n && memcmp(name.at + name.n - n, variants[i], n) == 0 &&
		    is_listed(bytes_of(name.at, name.n - n)))
			return true;
	}
	return false;
}
